import { createHash } from 'node:crypto';
import { FORMATS, type EventType, type SimulatedEvent } from './day-formats.js';

/** A request that is sent until it gets a final response. */
export interface Delivery {
  source: string;
  /** The same at each attempt, and when the delivery is sent again. */
  id: string;
  text: string;
  /** Empty if the request must be refused. */
  events: SimulatedEvent[];
  /** Whether it is sent with an invalid proof. */
  isForged: boolean;
  expectedStatus: number;
}

export interface Day {
  /** Each event once. */
  events: SimulatedEvent[];
  /** In the order in which they are sent. */
  deliveries: Delivery[];
  /** The number of events that are sent again. */
  duplicates: number;
}

const DAY_SECONDS = 86_400;
const EVENTS_OF_AN_ADDRESS = 25;
const DUPLICATES = 0.1;
const LATE = 0.2;
const LATE_SECONDS = 7_200;
/**
 * A scenario, which has an address of its own, begins after this many events, and continues after this many others: more than
 * concurrent senders and their retries can reorder. The one is no multiple of the other.
 */
const SCENARIO_INTERVAL = 25;
const SCENARIO_STEP = 31;
const SCENARIO_LATE_SECONDS = 7_200;
/** Valid deliveries for each one that is refused. */
const VALID_PER_REFUSED = 25;

/** Relative frequencies. Each source sends only the types that it has. */
const TYPE_WEIGHTS: readonly (readonly [EventType, number])[] = [
  ['hard', 10],
  ['soft', 14],
  ['complaint', 3],
  ['unsubscribe', 16],
  ['manual', 5],
  ['resubscribe', 20],
  ['removed', 8],
  ['listed', 6],
  ['listed-complaint', 4],
  ['listed-manual', 6],
  ['delivered', 12],
  ['unknown', 6],
];

/** Sequences that are rare by chance. A late event is sent after all others of its scenario. */
const SCENARIOS = [
  'postmark:unsubscribe postmark:resubscribe',
  'resend:hard resend:removed',
  'resend:hard resend:listed-manual resend:manual resend:removed',
  'ses:hard ses:resubscribe',
  'resend:unsubscribe resend:removed',
  'postmark:resubscribe:late postmark:unsubscribe',
  'resend:removed:late resend:hard',
  'postmark:unsubscribe:late postmark:resubscribe',
  'resend:manual:late resend:removed',
  'resend:hard:late resend:removed',
  'resend:hard resend:manual:late resend:removed',
  'resend:hard:late resend:hard:late resend:removed',
  'postmark:soft postmark:soft',
  'resend:manual postmark:soft postmark:soft',
  'postmark:soft mailgun:delivered postmark:soft',
  'postmark:soft postmark:unsubscribe postmark:resubscribe postmark:soft',
  'mailgun:hard resend:manual ses:listed',
  'mailgun:listed-complaint ses:complaint',
  'ses:hard mailgun:listed-complaint',
];

/**
 * Generates a day of events of all sources. The same seed gives the same day.
 *
 * @param size - the number of events, including duplicates
 */
export function generateDay(seed: number, size: number): Day {
  const random = randomOf(seed);
  const events = withScenarios(generateEvents(random, Math.round(size * (1 - DUPLICATES))));
  const deliveries = pack(random, bySendTime(events));
  const repeated = repeat(random, deliveries, size - events.length);
  return {
    events,
    deliveries: withRefused(random, insert(random, deliveries, repeated)),
    duplicates: repeated.reduce((sum, delivery) => sum + delivery.events.length, 0),
  };
}

/** Generates random numbers below a bound: mulberry32, by Tommy Ettinger, in the public domain. */
function randomOf(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

type Random = ReturnType<typeof randomOf>;

function generateEvents(random: Random, count: number): SimulatedEvent[] {
  const sources = Object.keys(FORMATS);
  const addresses = Math.max(20, Math.round(count / EVENTS_OF_AN_ADDRESS));
  const today = Math.floor(Date.now() / 1000) - DAY_SECONDS;
  return Array.from({ length: count }, (_, index) => {
    const source = sources[random(sources.length)]!;
    const number = index + 1;
    const second = today + Math.floor((index * (DAY_SECONDS - LATE_SECONDS)) / count);
    const lateness = random(100) < LATE * 100 ? random(LATE_SECONDS) : 0;
    return {
      number,
      source,
      type: randomType(random, source),
      email: `person-${random(addresses)}@example.com`,
      mail: uuidOf(`${count} ${number}`),
      occurredAt: new Date(second * 1000),
      sentAt: new Date((second + lateness) * 1000),
    };
  });
}

/** Replaces some events by those of scenarios. */
function withScenarios(events: SimulatedEvent[]): SimulatedEvent[] {
  const replaced = [...events];
  for (let number = 0; number * SCENARIO_INTERVAL < events.length; number++) {
    const steps = SCENARIOS[number % SCENARIOS.length]!.split(' ');
    for (const [index, step] of steps.entries()) {
      const position = number * SCENARIO_INTERVAL + index * SCENARIO_STEP;
      const event = events[position];
      if (event) {
        replaced[position] = stepOf(event, step, `person-of-story-${number}@example.com`);
      }
    }
  }
  return replaced;
}

function stepOf(event: SimulatedEvent, step: string, email: string): SimulatedEvent {
  const [source, type, isLate] = step.split(':');
  const sentAt = new Date(event.occurredAt.getTime() + (isLate ? SCENARIO_LATE_SECONDS * 1000 : 0));
  return { ...event, source: source!, type: type as EventType, sentAt, email };
}

function randomType(random: Random, source: string): EventType {
  const supported = TYPE_WEIGHTS.filter(([type]) => FORMATS[source]!.writers[type]);
  let remaining = random(supported.reduce((sum, [, weight]) => sum + weight, 0));
  return supported.find(([, weight]) => (remaining -= weight) < 0)![0];
}

function bySendTime(events: SimulatedEvent[]): SimulatedEvent[] {
  return events.toSorted((a, b) => a.sentAt.getTime() - b.sentAt.getTime());
}

/** Packs consecutive events of a source into bodies of random sizes. A body is sent when it is full. */
function pack(random: Random, events: SimulatedEvent[]): Delivery[] {
  const open = new Map<string, { events: SimulatedEvent[]; size: number }>();
  const deliveries: Delivery[] = [];
  for (const event of events) {
    const { source } = event;
    const body = open.get(source) ?? { events: [], size: 1 + random(FORMATS[source]!.maxEvents) };
    body.events.push(event);
    open.set(source, body);
    if (body.events.length === body.size) {
      deliveries.push(deliveryOf(body.events));
      open.delete(source);
    }
  }
  return [...deliveries, ...[...open.values()].map((body) => deliveryOf(body.events))];
}

/** The events of a body are in the order of their numbers, which the checks rely on. */
function deliveryOf(unordered: SimulatedEvent[]): Delivery {
  const events = unordered.toSorted((a, b) => a.number - b.number);
  const { source } = events[0]!;
  const id = uuidOf(`${source} ${events.map(({ mail }) => mail)}`);
  const { writers, bodyOf } = FORMATS[source]!;
  const written = events.map((event) => writers[event.type]!(event));
  return {
    source,
    id,
    text: JSON.stringify(bodyOf(written, id)),
    events,
    isForged: false,
    expectedStatus: 200,
  };
}

/** Repeats whole deliveries, or some of their events in another one. An Idempotency-Key covers the whole delivery. */
function repeat(random: Random, deliveries: Delivery[], count: number): Delivery[] {
  const repeated: Delivery[] = [];
  for (let remaining = count; remaining > 0;) {
    const original = deliveries[random(deliveries.length)]!;
    const subset = original.events.filter(() => random(2) === 0);
    const isWhole =
      subset.length === 0 || original.source === 'event' || FORMATS[original.source]!.maxEvents === 1;
    const repetition = isWhole ? original : deliveryOf(subset);
    repeated.push(repetition);
    remaining -= repetition.events.length;
  }
  return repeated;
}

/** Inserts each repetition somewhere after its original, often close to it. */
function insert(random: Random, deliveries: Delivery[], repeated: Delivery[]): Delivery[] {
  const positions = new Map(
    deliveries.flatMap(({ events }, position) => events.map(({ number }) => [number, position])),
  );
  const insertions = repeated.map((delivery) => {
    const original = positions.get(delivery.events[0]!.number)!;
    return { delivery, position: original + random(random(2) ? 8 : deliveries.length - original) + 0.5 };
  });
  return [...deliveries.map((delivery, position) => ({ delivery, position })), ...insertions]
    .toSorted((a, b) => a.position - b.position)
    .map(({ delivery }) => delivery);
}

function withRefused(random: Random, deliveries: Delivery[]): Delivery[] {
  return deliveries.flatMap((delivery) =>
    random(VALID_PER_REFUSED) > 0 ? [delivery] : [refused(random, delivery), delivery],
  );
}

function refused(random: Random, delivery: Delivery): Delivery {
  return random(2) && delivery.source !== 'event' ? forged(delivery) : malformed(delivery);
}

/** About addresses that must never be listed. */
function forged(delivery: Delivery): Delivery {
  const text = delivery.text.replaceAll('person-', 'victim-').replace(/("signature":")./, '$1x');
  return { ...delivery, text, id: uuidOf(text), events: [], isForged: true, expectedStatus: 401 };
}

function malformed(delivery: Delivery): Delivery {
  const text = delivery.text.slice(0, -1);
  return { ...delivery, text, id: uuidOf(text), events: [], expectedStatus: 400 };
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
