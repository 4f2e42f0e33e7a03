import { DataFolder } from '../support/data-folder.js';
import type { EventType, SimulatedEvent } from '../support/day/day-formats.js';
import { AMBIGUOUS_RESUBSCRIBES, mailOf } from '../support/day/day-model.js';
import { generateDay, type Day } from '../support/day/day-of-events.js';
import { findOrder, SUPERSEDED, type Step } from '../support/day/day-order.js';
import { timestampKeyOf, readDay, type DayRecord, type InboxRow } from '../support/day/day-record.js';
import { createSources, Senders, withoutNetwork } from '../support/day/day-senders.js';

/** `npm run day` sends 10,000. */
const SIZE = Number(process.env.DAY_EVENTS ?? 1_500);
const SEED = Number(process.env.DAY_SEED ?? 1);

const MEANINGS: Readonly<Record<EventType, string>> = {
  hard: 'bounce suppress',
  soft: 'bounce watch',
  complaint: 'complaint suppress',
  unsubscribe: 'unsubscribe suppress',
  manual: 'manual suppress',
  resubscribe: 'resubscribe lift',
  removed: 'removed lift',
  listed: 'bounce suppress-if-absent',
  'listed-complaint': 'complaint suppress-if-absent',
  'listed-manual': 'manual suppress-if-absent',
  delivered: 'delivered success',
  unknown: 'unknown none',
};

const SUPERSEDED_REASONS = ['The same source removed the address', 'It happened before the address'];

/** The outcomes that a day must contain to be meaningful. */
const OUTCOMES = [
  'bounce suppress: added',
  'bounce suppress: cause_added',
  'bounce suppress: nothing',
  'bounce suppress: superseded',
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
  'manual suppress: superseded',
  'manual suppress: strengthened',
  'manual suppress-if-absent: added',
  'manual suppress-if-absent: nothing',
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
    day = generateDay(SEED, SIZE);
    const client = await folder.connect();
    const restart = () => folder.start(settings);
    senders = new Senders(sources, day.deliveries, Promise.resolve(service), restart, client);
    const begin = Date.now();
    await senders.sendAll();
    const took = ((Date.now() - begin) / 1000).toFixed(1);
    if (process.env.DAY_EVENTS) {
      console.log(
        `seed ${SEED}: ${day.events.length} events and ${day.duplicates} again in ${day.deliveries.length} bodies, ` +
          `${senders.kills} kills, ${senders.brokenTransactions} broken transactions, ${senders.retries} retries, ${took} s`,
      );
    }
    record = await readDay(client);
    await client.end();
  }, 600_000);
  afterAll(() => folder.remove());

  it('is difficult enough', () => {
    expect(new Set(day.events.map(({ source }) => source)).size).toBe(10);
    expect(day.duplicates).toBeGreaterThanOrEqual(SIZE / 10);
    expect(senders.kills).toBe(2);
    expect(senders.brokenTransactions).toBeGreaterThan(SIZE / 100);
    expect(senders.retries).toBeGreaterThan(0);
  });

  it('contains every effect that an event can have', () => {
    const seen = new Set(record.inbox.map((row) => `${row.kind} ${row.effect}: ${outcomeOf(row)}`));
    expect(OUTCOMES.filter((outcome) => !seen.has(outcome))).toEqual([]);
  });

  it('gets the expected responses', () => {
    const isWrong = ({ delivery, status }: (typeof senders.answered)[number]) =>
      status !== delivery.expectedStatus;
    expect(senders.answered.filter(isWrong)).toEqual([]);
    expect(senders.answered).toHaveLength(day.deliveries.length);
  });

  it('stores every event once, as sent, and nothing else', () => {
    const expected = day.events.map((event) => [
      timestampKeyOf(event),
      event.email,
      meaningOf(event),
      mailOf(event),
    ]);
    const stored = record.inbox.map((row) => [
      timestampKeyOf(row),
      row.recipient,
      `${row.kind} ${row.effect}`,
      row.mail,
    ]);
    expect(stored.toSorted()).toEqual(expected.toSorted());
  });

  it('leaves the list and the ledger that a simple sequential model predicts', () => {
    const steps = stepsOf(day, record, senders);
    const mismatches: string[] = [];
    for (const [email, addressSteps] of steps) {
      const lines = record.ledger.get(email) ?? [];
      const state = findOrder(addressSteps, lines);
      if (!state) {
        mismatches.push(email);
        continue;
      }
      expect(lines).toEqual(state.lines);
      const { record: present } = state;
      const { cause, mail } = present ?? {};
      const id = present && record.ids.get(email)![present.ordinal - 1];
      expect(record.list.get(email)).toEqual(present && { id, email, cause, mail });
    }
    expect(mismatches.map((email) => [email, record.ledger.get(email), steps.get(email)])).toEqual([]);
    const emails = [...record.list.keys(), ...record.ledger.keys()];
    expect(emails.filter((email) => !steps.has(email))).toEqual([]);
  });
});

function outcomeOf({ outcome, reason }: InboxRow): string {
  return SUPERSEDED_REASONS.some((begin) => reason.startsWith(begin)) ? SUPERSEDED : outcome;
}

/** The kind and effect of an event in the inbox. */
function meaningOf({ source, type }: SimulatedEvent): string {
  if (type === 'resubscribe' && source === 'sendgrid') {
    return 'resubscribe none';
  }
  return MEANINGS[type === 'resubscribe' && AMBIGUOUS_RESUBSCRIBES.has(source) ? 'unknown' : type];
}

/** What each transaction did to each address. */
function stepsOf({ events }: Day, { inbox }: DayRecord, { answered }: Senders): Map<string, Step[]> {
  const eventAt = new Map(events.map((event) => [timestampKeyOf(event), event]));
  const appliedAt = new Map<SimulatedEvent, number>();
  const bodyOf = new Map<SimulatedEvent, number>();
  for (const [body, { delivery, at }] of answered.entries()) {
    for (const event of delivery.events) {
      appliedAt.set(event, Math.min(at, appliedAt.get(event) ?? Infinity));
      bodyOf.set(event, bodyOf.get(event) ?? body);
    }
  }
  const steps = new Map<string, Map<string, Step>>();
  for (const row of inbox) {
    const event = eventAt.get(timestampKeyOf(row))!;
    const arrivedAt = row.receivedAt.getTime();
    const addressSteps = steps.get(event.email) ?? new Map<string, Step>();
    const step = addressSteps.get(row.transaction) ?? { taken: [], begin: Infinity, end: Infinity };
    step.taken.push({ event, outcome: outcomeOf(row), body: bodyOf.get(event)!, arrivedAt });
    step.begin = Math.min(step.begin, arrivedAt);
    step.end = Math.min(step.end, appliedAt.get(event)!);
    steps.set(event.email, addressSteps.set(row.transaction, step));
  }
  return new Map([...steps].map(([email, addressSteps]) => [email, [...addressSteps.values()]]));
}
