const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Somebody whom a sender mails. */
export interface Person {
  email: string;
  /** Whether Google receives the mail, for its own domains or for another. */
  isAtGoogle: boolean;
  isAlive: boolean;
  /** When an email was last delivered, in milliseconds since the start; -Infinity if that is not known. */
  lastDelivered: number;
}

/** What a sender's mail meets, with the truth about each address. Times are in milliseconds since the start. */
export interface Scenario {
  people: Person[];
  mailsPerHour: number;
  /** When the fault begins, and when it ends for good. */
  fault: { from: number; to: number };
  /** What a server answers falsely, if it does. */
  answer(person: Person, at: number, random: () => number): string | null;
}

export const GMAIL_ANSWER =
  '550-5.1.1 The email account that you tried to reach does not exist. Please try\n' +
  "550-5.1.1 double-checking the recipient's email address for typos or\n" +
  '550-5.1.1 unnecessary spaces. For more information, go to\n' +
  '550 5.1.1  https://support.google.com/mail/?p=NoSuchUser a1e8csi712.90 - gsmtp';
const APPLE_ANSWER = '550 5.1.1 <EMAIL>: user lookup success but no user record found';
const YAHOO_ANSWER =
  "554 delivery error: dd This user doesn't have a yahoo.com account (EMAIL) [0] - mta4.example.com";
const AOL_ANSWER = '550 5.1.1 <EMAIL>: Recipient address rejected: aol.com';
const MICROSOFT_ANSWER =
  '550 5.4.1 Recipient address rejected: Access denied. [AM0EUR02FT031.eop-EUR02.prod.protection.outlook.com]';
const OWN_FAULT = '550 5.1.8 <news@sender.example>: Sender address rejected: Domain not found';

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** mulberry32: the same numbers in each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One in a hundred addresses is dead; the others received mail within the last 20 days. */
export function population(size: number, { dead = 0.01, seed = 1 } = {}): Person[] {
  const random = randomNumbers(seed);
  return Array.from({ length: size }, (_, index) => {
    const share = random();
    const [domain, isAtGoogle] =
      share < 0.35
        ? ['gmail.com', true]
        : share < 0.55
          ? [`workspace${index % 300}.example`, true]
          : share < 0.7
            ? [index % 4 === 0 ? 'aol.com' : 'yahoo.com', false]
            : share < 0.82
              ? [index % 2 === 0 ? 'hotmail.com' : 'outlook.com', false]
              : share < 0.9
                ? ['icloud.com', false]
                : [`company${index % 200}.example`, false];
    return {
      email: `person${index}@${domain as string}`,
      isAtGoogle: isAtGoogle as boolean,
      isAlive: random() >= dead,
      lastDelivered: -random() * 20 * DAY_MS,
    };
  });
}

/** What a server says of a dead address. */
export function deadAnswer({ email, isAtGoogle }: Person): string {
  if (isAtGoogle) {
    return GMAIL_ANSWER;
  }
  switch (domainOf(email)) {
    case 'yahoo.com':
    case 'aol.com':
      return YAHOO_ANSWER;
    case 'icloud.com':
      return APPLE_ANSWER;
    case 'hotmail.com':
    case 'outlook.com':
      return '550 5.5.0 Requested action not taken: mailbox unavailable';
    default:
      return '550 5.1.1 <EMAIL>: Recipient address rejected: User unknown in local recipient table';
  }
}

const at = (domains: string[]) => (person: Person) => domains.includes(domainOf(person.email));
const isYahoo = at(['yahoo.com', 'aol.com']);
const isAol = at(['aol.com']);
const isApple = at(['icloud.com']);
const isMicrosoft = at(['hotmail.com', 'outlook.com']);
const within = (time: number, from: number, minutes: number) =>
  time >= from && time < from + minutes * MINUTE_MS;

function fault(
  minutes: number,
  isHit: (person: Person) => boolean,
  text: string,
  share = 1,
): Pick<Scenario, 'fault' | 'answer'> {
  const from = 6 * HOUR_MS;
  return {
    fault: { from, to: from + minutes * MINUTE_MS },
    answer: (person, time, random) =>
      within(time, from, minutes) && isHit(person) && random() < share ? text : null,
  };
}

const NO_FAULT: Pick<Scenario, 'fault' | 'answer'> = { fault: { from: 0, to: 0 }, answer: () => null };

const LARGE = { mailsPerHour: 8_000 };
const GMAIL_FROM = 6 * HOUR_MS;
const GMAIL_AGAIN = GMAIL_FROM + (21 * 60 + 22) * MINUTE_MS;

/** On 14 December 2020 from 22:16 to 00:38, and on the next day from 19:38 to 23:57. */
const gmail: Pick<Scenario, 'fault' | 'answer'> = {
  fault: { from: GMAIL_FROM, to: GMAIL_AGAIN + 259 * MINUTE_MS },
  answer: ({ isAtGoogle }, time) =>
    isAtGoogle && (within(time, GMAIL_FROM, 142) || within(time, GMAIL_AGAIN, 259)) ? GMAIL_ANSWER : null,
};

/** Mailboxes that nobody had opened for a year, and that the sender mails once in a quarter. */
function purged(): Person[] {
  return population(60_000).map((person, index) =>
    isYahoo(person) && index % 5 === 0 ? { ...person, isAlive: false, lastDelivered: -90 * DAY_MS } : person,
  );
}

/** Purged mailboxes that received mail until the purge, since the sender mails everybody each week. */
function purgedRecently(): Person[] {
  return population(60_000).map((person, index) =>
    isYahoo(person) && index % 5 === 0 ? { ...person, isAlive: false } : person,
  );
}

/** A list that was bought, or found again: a third is dead, and no delivery is known. */
function oldList(): Person[] {
  const random = randomNumbers(7);
  return population(60_000).map((person) => ({
    ...person,
    isAlive: random() > 0.33,
    lastDelivered: -Infinity,
  }));
}

export const SCENARIOS = {
  'Gmail 2020': () => ({ ...LARGE, ...gmail, people: population(60_000) }),
  'AOL 2017': () => ({ ...LARGE, ...fault(90, isAol, AOL_ANSWER), people: population(60_000) }),
  'Apple 2021': () => ({ ...LARGE, ...fault(360, isApple, APPLE_ANSWER), people: population(60_000) }),
  'Yahoo 2018': () => ({
    ...LARGE,
    ...fault(3 * 24 * 60, isYahoo, YAHOO_ANSWER, 0.25),
    people: population(60_000),
  }),
  'Yahoo 2013, a true purge': () => ({ ...LARGE, ...NO_FAULT, people: purged() }),
  'a purge of mailboxes that still received mail': () => ({
    ...LARGE,
    ...NO_FAULT,
    people: purgedRecently(),
  }),
  'a first mailing to an old list': () => ({ ...LARGE, ...NO_FAULT, people: oldList() }),
  'a sender of 50 mails an hour': () => ({ ...gmail, mailsPerHour: 50, people: population(5_000) }),
  "the sender's own DNS": () => ({
    ...LARGE,
    ...fault(240, () => true, OWN_FAULT),
    people: population(60_000),
  }),
  'Microsoft 5.4.1 now and then': () => ({
    ...LARGE,
    fault: { from: 6 * HOUR_MS, to: 30 * HOUR_MS },
    answer: (person: Person, time: number, random: () => number) =>
      isMicrosoft(person) &&
      within(time, 6 * HOUR_MS, 24 * 60) &&
      time % (3 * HOUR_MS) < HOUR_MS / 2 &&
      random() < 0.3
        ? MICROSOFT_ANSWER
        : null,
    people: population(60_000),
  }),
} satisfies Record<string, () => Scenario>;
