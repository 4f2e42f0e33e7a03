import {
  BUCKET_MS,
  detect,
  WINDOW_MS,
  type Finding,
  type HardCount,
  type IncidentKey,
} from '../../../src/incidents/detect.js';
import { THRESHOLDS } from './incident-model.js';
import { randomNumbers } from './incident-senders.js';

const DAY_MS = 86_400_000;
const DAYS = 365;
/** Google answers for the domains of its customers, too. Nobody receives mail at a misspelt domain, which only new readers have. */
const GROUPS = [
  { name: 'gmail.com', share: 0.35, text: 'gsmtp', bounces: 0.006 },
  ...Array.from({ length: 40 }, (_, index) => {
    return { name: `workspace${index}.example`, share: 0.005, text: 'gsmtp', bounces: 0.015 };
  }),
  { name: 'yahoo.com', share: 0.15, text: 'no account', bounces: 0.012 },
  { name: 'outlook.com', share: 0.2, text: 'mailbox unavailable', bounces: 0.008 },
  { name: 'icloud.com', share: 0.0998, text: 'no user record', bounces: 0.004 },
  { name: 'gmial.com', share: 0.0002, text: 'no such user', bounces: 1 },
];

/** The mails of five minutes: by hour, weekday, month, and season, with newsletters, a sale, and holidays. */
function mailsAt(at: number): number {
  const day = Math.floor(at / DAY_MS);
  const hour = (at % DAY_MS) / 3_600_000;
  const daily = 0.2 + Math.max(0, Math.sin(((hour - 5) / 17) * Math.PI));
  const weekly = day % 7 >= 5 ? 0.35 : 1;
  const isNewsletter = day % 7 === 1 && hour >= 9 && hour < 11;
  const isSale = day >= 328 && day <= 332;
  const isHoliday = day >= 358 || day === 0;
  return 600 * daily * weekly * (isNewsletter ? 12 : 1) * (isSale ? 6 : 1) * (isHoliday ? 0.15 : 1);
}

/** Of a normal distribution around a mean, as many events of an hour are. */
function around(mean: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
}

/** A year of a large sender without any fault. On some days the list is worse: sign-ups of a fair, or an old segment. */
export function findingsOfYear(): { findings: Finding[]; bounces: number } {
  const random = randomNumbers(2020);
  const results = new Map<string, number>();
  let counts: HardCount[] = [];
  let bounces = 0;
  const findings: Finding[] = [];
  for (let at = 0; at < DAYS * DAY_MS; at += BUCKET_MS) {
    const mails = mailsAt(at);
    const worse = Math.floor(at / DAY_MS) % 30 === 10 ? 3 : 1;
    counts = counts.filter((count) => count.at > at - WINDOW_MS);
    for (const { name, share, text, bounces: rate } of GROUPS) {
      const sent = around(mails * share, random);
      const addresses = Math.min(sent, around(sent * Math.min(1, rate * worse), random));
      results.set(`${name} ${at % DAY_MS}`, sent);
      if (addresses > 0) {
        const isTypo = rate === 1;
        const known = isTypo ? 0 : Math.round(addresses * 0.8);
        counts.push({ at, group: name, text, addresses, known, recent: Math.round(known * 0.6) });
        bounces += addresses;
      }
    }
    findings.push(
      ...detect(counts, {
        thresholds: THRESHOLDS,
        resultsIn: ({ key, start }) => resultsIn(results, key, start),
        medianShareOf: () => 0,
        isRecurring: () => false,
        runningTexts: [],
      }),
    );
  }
  return { findings, bounces };
}

function resultsIn(results: Map<string, number>, key: IncidentKey, start: number): number {
  const groups = GROUPS.filter(({ name, text }) =>
    key.text === null ? name === key.group : text === key.text,
  );
  let sum = 0;
  for (let at = start; at < start + WINDOW_MS; at += BUCKET_MS) {
    sum += groups.reduce((total, { name }) => total + (results.get(`${name} ${at % DAY_MS}`) ?? 0), 0);
  }
  return sum;
}
