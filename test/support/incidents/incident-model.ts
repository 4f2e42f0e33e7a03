import { receivingGroup } from '../../../src/email-address/receiving-group.js';
import { byDiagnostic } from '../../../src/inbound/policy/mapping.js';
import { fingerprint } from '../../../src/ledger/fingerprint.js';
import {
  BUCKET_MS,
  detect,
  HELD_BEFORE_MS,
  nameOf,
  QUIET_MS,
  REOPENING_MS,
  WINDOW_MS,
  type Finding,
  type HardCount,
  type IncidentKey,
} from '../../../src/incidents/detect.js';
import { deadAnswer, domainOf, randomNumbers, type Person, type Scenario } from './incident-senders.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOLD_MS = 24 * HOUR_MS;
const RECENT_MS = 30 * 24 * HOUR_MS;

export const THRESHOLDS = { minAddresses: 50, minShare: 0.1 };

/** What became of the list 48 hours after the end of a fault, while the account holds. */
export interface Result {
  incidents: number;
  /** From the begin of the fault until the first incident; null if none opened. */
  minutesUntilOpen: number | null;
  /** Living addresses that a bounce suppressed. */
  falseBounces: number;
  /** How many of them are still suppressed. */
  falseRemaining: number;
  held: number;
  /** Dead addresses that were mailed again, since their suppression was held. */
  deadMailedAgain: number;
}

interface Suppression {
  person: Person;
  text: string | null;
  at: number;
  until: number;
  heldBy: Incident | null;
}

interface Incident {
  openedAt: number;
  key: IncidentKey;
  lastActiveAt: number;
  closedAt: number | null;
  isConvincing: boolean;
}

/** A sender with a list and a guard: what the service does, in memory, over the same detector. */
export class IncidentModel {
  private readonly counts = new Map<string, HardCount>();
  private readonly results = new Map<string, number>();
  private readonly groupsOf = new Map<string, Set<string>>();
  private readonly list = new Map<Person, Suppression>();
  private readonly incidents: Incident[] = [];
  private readonly falselyBounced = new Set<Person>();
  private readonly held = new Set<Person>();
  private readonly deadMailedAgain = new Set<Person>();
  private readonly texts = new Map<string, { isHard: boolean; text: string | null }>();
  private openedAt: number | null = null;

  constructor(private readonly scenario: Scenario) {}

  run(): Result {
    const { people, mailsPerHour, fault, answer } = this.scenario;
    const random = randomNumbers(42);
    const order = people.toSorted((one, other) => hash(one.email) - hash(other.email));
    const end = fault.to + 48 * HOUR_MS;
    let next = 0;
    let due = 0;
    for (let now = 0; now < end; now += MINUTE_MS) {
      due += mailsPerHour / 60;
      for (; due >= 1; due--) {
        const person = order[next++ % order.length]!;
        if ((this.list.get(person)?.until ?? -Infinity) <= now) {
          const text = answer(person, now, random) ?? (person.isAlive ? null : deadAnswer(person));
          this.deliver(person, now, text);
        }
      }
      this.guard(now);
    }
    return this.resultAt(end);
  }

  private resultAt(end: number): Result {
    const remaining = [...this.falselyBounced].filter((person) => (this.list.get(person)?.until ?? 0) > end);
    return {
      incidents: this.incidents.length,
      minutesUntilOpen:
        this.openedAt === null ? null : (this.openedAt - this.scenario.fault.from) / MINUTE_MS,
      falseBounces: this.falselyBounced.size,
      falseRemaining: remaining.length,
      held: this.held.size,
      deadMailedAgain: this.deadMailedAgain.size,
    };
  }

  private deliver(person: Person, now: number, answer: string | null): void {
    const group = receivingGroup(domainOf(person.email));
    const bucket = now - (now % BUCKET_MS);
    const name = `${bucket} ${group}`;
    this.results.set(name, (this.results.get(name) ?? 0) + 1);
    if (answer === null) {
      person.lastDelivered = now;
      return;
    }
    const { isHard, text } = this.read(answer);
    if (!isHard) {
      return;
    }
    this.count(person, group, text, bucket, now);
    this.suppress(person, text, now);
  }

  private suppress(person: Person, text: string | null, now: number): void {
    if (person.isAlive) {
      this.falselyBounced.add(person);
    } else if (this.held.has(person)) {
      this.deadMailedAgain.add(person);
    }
    const suppression: Suppression = { person, text, at: now, until: Infinity, heldBy: null };
    this.list.set(person, suppression);
    const running = this.incidents.find(
      (incident) => incident.closedAt === null && matches(incident.key, suppression),
    );
    if (running?.isConvincing) {
      this.hold(suppression, running, now);
    }
  }

  private hold(suppression: Suppression, incident: Incident, now: number): void {
    Object.assign(suppression, { until: now + HOLD_MS, heldBy: incident });
    this.held.add(suppression.person);
  }

  private count(
    { lastDelivered }: Person,
    group: string,
    text: string | null,
    at: number,
    now: number,
  ): void {
    const name = `${at} ${group} ${text}`;
    const count = this.counts.get(name) ?? { at, group, text, addresses: 0, known: 0, recent: 0 };
    count.addresses++;
    count.known += Number(lastDelivered > -Infinity);
    count.recent += Number(lastDelivered > now - RECENT_MS);
    this.counts.set(name, count);
    if (text !== null) {
      this.groupsOf.set(text, (this.groupsOf.get(text) ?? new Set()).add(group));
    }
  }

  private guard(now: number): void {
    const from = now - (now % BUCKET_MS) - WINDOW_MS;
    const counts = [...this.counts.values()].filter(({ at }) => at >= from);
    for (const [name, { at }] of this.counts) {
      if (at < from) {
        this.counts.delete(name);
      }
    }
    const running = this.incidents.filter(({ closedAt }) => closedAt === null);
    const findings = detect(counts, {
      thresholds: THRESHOLDS,
      resultsIn: ({ key, start }) => this.resultsIn(key, start),
      medianShareOf: () => 0,
      isRecurring: (key) =>
        this.incidents.some(
          (incident) =>
            nameOf(incident.key) === nameOf(key) && (incident.closedAt ?? Infinity) > now - REOPENING_MS,
        ),
      runningTexts: running.flatMap(({ key }) => key.text ?? []),
    });
    findings.forEach((finding) => this.note(finding, now));
    running
      .filter(({ lastActiveAt }) => now - lastActiveAt >= QUIET_MS)
      .forEach((incident) => (incident.closedAt = now));
  }

  private note({ key, isConvincing }: Finding, now: number): void {
    let incident = this.incidents.find(
      (candidate) => candidate.closedAt === null && nameOf(candidate.key) === nameOf(key),
    );
    if (!incident) {
      incident = { key, openedAt: now, lastActiveAt: now, closedAt: null, isConvincing: false };
      this.incidents.push(incident);
      this.openedAt ??= now;
    }
    incident.lastActiveAt = now;
    if (isConvincing && !incident.isConvincing) {
      incident.isConvincing = true;
      [...this.list.values()]
        .filter(
          (found) => found.until === Infinity && found.at >= now - HELD_BEFORE_MS && matches(key, found),
        )
        .forEach((found) => this.hold(found, incident, now));
    }
  }

  private resultsIn(key: IncidentKey, start: number): number {
    const groups = key.text === null ? [key.group] : [...(this.groupsOf.get(key.text) ?? [])];
    let results = 0;
    for (let at = start; at < start + WINDOW_MS; at += BUCKET_MS) {
      results += groups.reduce((sum, group) => sum + (this.results.get(`${at} ${group}`) ?? 0), 0);
    }
    return results;
  }

  /** Whether the service takes an answer for a hard bounce, and its fingerprint. */
  private read(answer: string): { isHard: boolean; text: string | null } {
    let read = this.texts.get(answer);
    if (!read) {
      const [status] = /\b\d\.\d\.\d\b/.exec(answer) ?? [];
      const { effect } = byDiagnostic({ status, diagnostic: answer });
      read = {
        isHard: effect === 'suppress',
        text: fingerprint(answer.replaceAll('EMAIL', 'a@b.example')) || null,
      };
      this.texts.set(answer, read);
    }
    return read;
  }
}

function matches(key: IncidentKey, { person, text }: Suppression): boolean {
  return key.text === null ? receivingGroup(domainOf(person.email)) === key.group : key.text === text;
}

function hash(text: string): number {
  let value = 17;
  for (const character of text) {
    value = Math.imul(value ^ character.charCodeAt(0), 2_654_435_761) >>> 0;
  }
  return value;
}
