import { createHash } from 'node:crypto';
import { DIALECTS, type Fact, type Told } from './day-dialects.js';

/** A body to be sent until it is answered for good. */
export interface Sending {
  source: string;
  /** Of the delivery: the same at each attempt and when it is sent again. */
  id: string;
  text: string;
  /** What it tells; nothing when it is to be refused. */
  events: Told[];
  /** Sent with a proof that does not hold. */
  isForged: boolean;
  /** How it must be answered. */
  answer: number;
}

export interface Day {
  /** Every event once. */
  events: Told[];
  /** In the order in which the senders take them. */
  sendings: Sending[];
  /** How many of the events sent had been sent before. */
  duplicates: number;
}

const DAY_SECONDS = 86_400;
const EVENTS_OF_AN_ADDRESS = 25;
const DUPLICATES = 0.1;
const LATE = 0.2;
const LATE_SECONDS = 7_200;
/**
 * A story of an address of its own begins with every so many events, and goes on when so many others were sent: more than
 * eight senders and their retries can bring out of order. The one is no multiple of the other.
 */
const EVENTS_TO_STORY = 25;
const STORY_STEP = 31;
const STORY_LATE_SECONDS = 7_200;
/** One refused body to so many good ones. */
const GOOD_TO_BAD = 25;

/** How often; every source tells only what it has words for. */
const FACTS: readonly (readonly [Fact, number])[] = [
  ['hard', 10],
  ['soft', 14],
  ['complaint', 3],
  ['unsubscribe', 16],
  ['manual', 5],
  ['resubscribe', 20],
  ['removed', 8],
  ['listed', 6],
  ['listed-complaint', 4],
  ['delivered', 12],
  ['unknown', 6],
];

/**
 * What would seldom come about by chance, by sources that tell each event at once. What is told late comes after all others
 * of its story.
 */
const STORIES = [
  'postmark:unsubscribe postmark:resubscribe',
  'resend:hard resend:removed',
  'resend:hard resend:listed resend:manual resend:removed',
  'ses:hard ses:resubscribe',
  'resend:unsubscribe resend:removed',
  'postmark:resubscribe:late postmark:unsubscribe',
  'resend:removed:late resend:hard',
  'postmark:unsubscribe:late postmark:resubscribe',
  'resend:manual:late resend:removed',
  'resend:hard:late resend:removed',
  'resend:hard:late resend:hard:late resend:removed',
  'postmark:soft postmark:soft',
  'resend:manual postmark:soft postmark:soft',
  'postmark:soft mailgun:delivered postmark:soft',
  'postmark:soft postmark:unsubscribe postmark:resubscribe postmark:soft',
  'mailgun:hard resend:manual ses:listed',
  'mailgun:listed-complaint ses:complaint',
  'ses:hard mailgun:listed-complaint',
];

/** Makes a day of events of all sources, as many as asked, duplicates included. The same seed makes the same day. */
export function dayOfEvents(seed: number, size: number): Day {
  const random = randomOf(seed);
  const events = withStories(tell(random, Math.round(size * (1 - DUPLICATES))));
  const sendings = pack(random, inOrderOfSending(events));
  const repeated = repeat(random, sendings, size - events.length);
  return {
    events,
    sendings: withBadOnes(random, insert(random, sendings, repeated)),
    duplicates: repeated.reduce((sum, sending) => sum + sending.events.length, 0),
  };
}

/** A generator of numbers below a bound: mulberry32, by Tommy Ettinger, in the public domain. */
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

function tell(random: Random, count: number): Told[] {
  const sources = Object.keys(DIALECTS);
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
      fact: factOf(random, source),
      email: `person-${random(addresses)}@example.com`,
      mail: uuidOf(`${count} ${number}`),
      occurredAt: new Date(second * 1000),
      sentAt: new Date((second + lateness) * 1000),
    };
  });
}

/** Puts stories in the place of some events. */
function withStories(events: Told[]): Told[] {
  const told = [...events];
  for (let number = 0; number * EVENTS_TO_STORY < events.length; number++) {
    const chapters = STORIES[number % STORIES.length]!.split(' ');
    for (const [step, chapter] of chapters.entries()) {
      const place = number * EVENTS_TO_STORY + step * STORY_STEP;
      const event = events[place];
      if (event) {
        told[place] = chapterOf(event, chapter, `person-of-story-${number}@example.com`);
      }
    }
  }
  return told;
}

function chapterOf(event: Told, chapter: string, email: string): Told {
  const [source, fact, isLate] = chapter.split(':');
  const sentAt = new Date(event.occurredAt.getTime() + (isLate ? STORY_LATE_SECONDS * 1000 : 0));
  return { ...event, source: source!, fact: fact as Fact, sentAt, email };
}

function factOf(random: Random, source: string): Fact {
  const known = FACTS.filter(([fact]) => DIALECTS[source]!.facts[fact]);
  let left = random(known.reduce((sum, [, weight]) => sum + weight, 0));
  return known.find(([, weight]) => (left -= weight) < 0)![0];
}

function inOrderOfSending(events: Told[]): Told[] {
  return events.toSorted((a, b) => a.sentAt.getTime() - b.sentAt.getTime());
}

/** Bodies of neighbours of the same source; a body is sent when it is full. */
function pack(random: Random, events: Told[]): Sending[] {
  const open = new Map<string, { events: Told[]; size: number }>();
  const sendings: Sending[] = [];
  for (const event of events) {
    const { source } = event;
    const body = open.get(source) ?? { events: [], size: 1 + random(DIALECTS[source]!.most) };
    body.events.push(event);
    open.set(source, body);
    if (body.events.length === body.size) {
      sendings.push(sendingOf(body.events));
      open.delete(source);
    }
  }
  return [...sendings, ...[...open.values()].map((body) => sendingOf(body.events))];
}

/** Events of a body stand in the order of their numbers, so that whoever knows the numbers knows the order. */
function sendingOf(unordered: Told[]): Sending {
  const events = unordered.toSorted((a, b) => a.number - b.number);
  const { source } = events[0]!;
  const id = uuidOf(`${source} ${events.map(({ mail }) => mail)}`);
  const { facts, bodyOf } = DIALECTS[source]!;
  const told = events.map((event) => facts[event.fact]!(event));
  return { source, id, text: JSON.stringify(bodyOf(told, id)), events, isForged: false, answer: 200 };
}

/** Whole bodies again, or some of their events in another body; a key for the request names the whole. */
function repeat(random: Random, sendings: Sending[], count: number): Sending[] {
  const repeated: Sending[] = [];
  for (let left = count; left > 0;) {
    const original = sendings[random(sendings.length)]!;
    const some = original.events.filter(() => random(2) === 0);
    const isWhole = some.length === 0 || original.source === 'event' || DIALECTS[original.source]!.most === 1;
    const again = isWhole ? original : sendingOf(some);
    repeated.push(again);
    left -= again.events.length;
  }
  return repeated;
}

/** Each anywhere behind its original, often close. */
function insert(random: Random, sendings: Sending[], repeated: Sending[]): Sending[] {
  const places = new Map(
    sendings.flatMap(({ events }, place) => events.map(({ number }) => [number, place])),
  );
  const placed = repeated.map((sending) => {
    const original = places.get(sending.events[0]!.number)!;
    return { sending, place: original + random(random(2) ? 8 : sendings.length - original) + 0.5 };
  });
  return [...sendings.map((sending, place) => ({ sending, place })), ...placed]
    .toSorted((a, b) => a.place - b.place)
    .map(({ sending }) => sending);
}

function withBadOnes(random: Random, sendings: Sending[]): Sending[] {
  return sendings.flatMap((sending) =>
    random(GOOD_TO_BAD) > 0 ? [sending] : [refused(random, sending), sending],
  );
}

function refused(random: Random, sending: Sending): Sending {
  return random(2) && sending.source !== 'event' ? forged(sending) : malformed(sending);
}

/** About somebody who must not be on the list. */
function forged(sending: Sending): Sending {
  const text = sending.text.replaceAll('person-', 'victim-').replace(/("signature":")./, '$1x');
  return { ...sending, text, id: uuidOf(text), events: [], isForged: true, answer: 401 };
}

function malformed(sending: Sending): Sending {
  const text = sending.text.slice(0, -1);
  return { ...sending, text, id: uuidOf(text), events: [], answer: 400 };
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
