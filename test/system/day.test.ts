import { DataFolder } from '../support/data-folder.js';
import type { Fact, Told } from '../support/day-dialects.js';
import { SAYS_LITTLE, mailOf } from '../support/day-model.js';
import { dayOfEvents, type Day } from '../support/day-of-events.js';
import { inSomeOrder, OVERTAKEN, type Step } from '../support/day-order.js';
import { momentOf, readDay, type DayRecord, type InboxRow } from '../support/day-record.js';
import { createSources, Senders, withoutNetwork } from '../support/day-senders.js';

/** `npm run day` has 10,000; `DAY_SEED` makes another day. */
const SIZE = Number(process.env.DAY_EVENTS ?? 1_500);
const SEED = Number(process.env.DAY_SEED ?? 1);

const MEANINGS: Readonly<Record<Fact, string>> = {
  hard: 'bounce suppress',
  soft: 'bounce watch',
  complaint: 'complaint suppress',
  unsubscribe: 'unsubscribe suppress',
  manual: 'manual suppress',
  resubscribe: 'resubscribe lift',
  removed: 'removed lift',
  listed: 'bounce suppress-if-absent',
  'listed-complaint': 'complaint suppress-if-absent',
  delivered: 'delivered success',
  unknown: 'unknown none',
};

/** What a day would prove little without. */
const OUTCOMES = [
  'bounce suppress: added',
  'bounce suppress: cause_added',
  'bounce suppress: nothing',
  'bounce suppress: overtaken',
  'bounce suppress-if-absent: added',
  'bounce suppress-if-absent: nothing',
  'bounce watch: added',
  'bounce watch: cause_added',
  'bounce watch: counted',
  'complaint suppress: added',
  'complaint suppress: nothing',
  'complaint suppress: strengthened',
  'complaint suppress-if-absent: added',
  'complaint suppress-if-absent: nothing',
  'manual suppress: added',
  'manual suppress: overtaken',
  'manual suppress: strengthened',
  'removed lift: nothing',
  'removed lift: removed',
  'resubscribe lift: nothing',
  'resubscribe lift: removed',
  'unsubscribe suppress: added',
  'unsubscribe suppress: nothing',
  'unsubscribe suppress: strengthened',
];

describe(`a day of ${SIZE} events from ten sources, seed ${SEED}`, () => {
  let folder: DataFolder;
  let day: Day;
  let senders: Senders;
  let record: DayRecord;
  beforeAll(async () => {
    folder = await DataFolder.create();
    const settings = await withoutNetwork(folder);
    const service = await folder.start(settings);
    const sources = await createSources(folder, service.key);
    day = dayOfEvents(SEED, SIZE);
    const client = await folder.connect();
    const restart = () => folder.start(settings);
    senders = new Senders(sources, day.sendings, Promise.resolve(service), restart, client);
    const begin = Date.now();
    await senders.sendAll();
    const took = ((Date.now() - begin) / 1000).toFixed(1);
    if (process.env.DAY_EVENTS) {
      console.log(
        `seed ${SEED}: ${day.events.length} events and ${day.duplicates} again in ${day.sendings.length} bodies, ` +
          `${senders.killed} kills, ${senders.broken} broken transactions, ${senders.retries} retries, ${took} s`,
      );
    }
    record = await readDay(client);
    await client.end();
  }, 600_000);
  afterAll(() => folder.remove());

  it('was hard enough', () => {
    expect(new Set(day.events.map(({ source }) => source)).size).toBe(10);
    expect(day.duplicates).toBeGreaterThanOrEqual(SIZE / 10);
    expect(senders.killed).toBe(2);
    expect(senders.broken).toBeGreaterThan(SIZE / 100);
    expect(senders.retries).toBeGreaterThan(0);
  });

  it('contained every effect that an event can have', () => {
    const seen = new Set(record.inbox.map((row) => `${row.kind} ${row.effect}: ${outcomeOf(row)}`));
    expect(OUTCOMES.filter((outcome) => !seen.has(outcome))).toEqual([]);
  });

  it('gets the expected responses', () => {
    const isWrong = ({ sending, status }: (typeof senders.answered)[number]) => status !== sending.answer;
    expect(senders.answered.filter(isWrong)).toEqual([]);
    expect(senders.answered).toHaveLength(day.sendings.length);
  });

  it('stores every event once, as sent, and nothing else', () => {
    const meant = day.events.map((told) => [momentOf(told), told.email, meaningOf(told), mailOf(told)]);
    const stored = record.inbox.map((row) => [
      momentOf(row),
      row.recipient,
      `${row.kind} ${row.effect}`,
      row.mail,
    ]);
    expect(stored.toSorted()).toEqual(meant.toSorted());
  });

  it('leaves the list and the ledger that a simple sequential model predicts', () => {
    const steps = stepsOf(day, record, senders);
    const disagreeing: string[] = [];
    for (const [email, ofAddress] of steps) {
      const lines = record.ledger.get(email) ?? [];
      const state = inSomeOrder(ofAddress, lines);
      if (!state) {
        disagreeing.push(email);
        continue;
      }
      expect(lines).toEqual(state.lines);
      const { record: kept } = state;
      const { cause, mail } = kept ?? {};
      const id = kept && record.ids.get(email)![kept.ordinal - 1];
      expect(record.list.get(email)).toEqual(kept && { id, email, cause, mail });
    }
    expect(disagreeing.map((email) => [email, record.ledger.get(email), steps.get(email)])).toEqual([]);
    const emails = [...record.list.keys(), ...record.ledger.keys()];
    expect(emails.filter((email) => !steps.has(email))).toEqual([]);
  });
});

function outcomeOf({ outcome, reason }: InboxRow): string {
  return reason.startsWith('The same source removed the address') ? OVERTAKEN : outcome;
}

/** What the inbox calls an event. */
function meaningOf({ source, fact }: Told): string {
  if (fact === 'resubscribe' && source === 'sendgrid') {
    return 'resubscribe none';
  }
  return MEANINGS[fact === 'resubscribe' && SAYS_LITTLE.has(source) ? 'unknown' : fact];
}

/** What each transaction did to each address. */
function stepsOf({ events }: Day, { inbox }: DayRecord, { answered }: Senders): Map<string, Step[]> {
  const toldAt = new Map(events.map((told) => [momentOf(told), told]));
  const doneAt = new Map<Told, number>();
  for (const { sending, at } of answered) {
    sending.events.forEach((told) => doneAt.set(told, Math.min(at, doneAt.get(told) ?? Infinity)));
  }
  const rows = inbox
    .map((row) => ({ row, told: toldAt.get(momentOf(row))! }))
    .toSorted((a, b) => a.told.number - b.told.number);
  const steps = new Map<string, Map<string, Step>>();
  for (const { row, told } of rows) {
    const ofAddress = steps.get(told.email) ?? new Map<string, Step>();
    const step = ofAddress.get(row.transaction) ?? {
      events: [],
      outcomes: [],
      begin: row.receivedAt.getTime(),
      end: Infinity,
    };
    step.events.push(told);
    step.outcomes.push(outcomeOf(row));
    step.end = Math.min(step.end, doneAt.get(told)!);
    steps.set(told.email, ofAddress.set(row.transaction, step));
  }
  return new Map([...steps].map(([email, ofAddress]) => [email, [...ofAddress.values()]]));
}
