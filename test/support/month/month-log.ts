import type { FakeRequest } from '../fake-providers/fake-provider.js';
import type { Entry, Site, SiteCause, SiteName } from './month-sites.js';

export const DAY_MS = 24 * 60 * 60 * 1000;
/** Dates of providers have seconds, so that the order of what happens within one is unknown. */
const ORDER_MS = 2_000;
/** A confirmation is acted upon within a week, however long its list is stopped. */
const CONFIRMED_DAYS = 8;

/** An entry that a provider has. */
export interface Made extends Entry {
  site: SiteName;
  by: 'provider' | 'service';
  cause: SiteCause | null;
  /** In the order of everything that happens. */
  number: number;
}

interface About {
  email: string;
  number: number;
}

interface AtSite extends About {
  site: SiteName;
}

/** What everybody did during the month, past the service, and what the service was not allowed to do. */
export class MonthLog {
  nights = 0;
  /** What providers found out by themselves, or their users entered. */
  readonly facts: (AtSite & { cause: SiteCause })[] = [];
  readonly additions: About[] = [];
  readonly lifts: About[] = [];
  /** Entries that people removed at the provider. */
  readonly edits: AtSite[] = [];
  readonly confirmations: (AtSite & { night: number })[] = [];
  readonly violations: string[] = [];
  /** The requests of the service that changed something. */
  readonly done: Record<string, number> = {};
  /** What happened to each address, for whoever reads that a test failed. */
  private readonly stories = new Map<string, string[]>();
  private readonly touchedAt = new Map<string, number>();
  private readonly entries = new Map<string, Made>();
  /** What the service asked about today: nobody can tell whose an entry is that appears minutes later. */
  private readonly asked = new Set<string>();
  private events = 0;

  /** The present in the time of the simulation, in milliseconds. */
  now(): number {
    return Date.now() + this.nights * DAY_MS;
  }

  next(): number {
    return ++this.events;
  }

  tell(email: string, what: string): void {
    const time = new Date().toISOString().slice(11, 23);
    this.touchedAt.set(email, Date.now());
    this.stories.set(email, [...this.storyOf(email), `${this.nights} ${time} ${what}`]);
  }

  storyOf(email: string): string[] {
    return this.stories.get(email) ?? [];
  }

  /** Whether something happened to an address so recently that its order to what happens now would be unknown. */
  isTouched(email: string): boolean {
    return Date.now() - (this.touchedAt.get(email) ?? 0) < ORDER_MS;
  }

  count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  entryOf(site: Site, { list, address }: Entry): Made | undefined {
    return this.entries.get(`${site.name} ${list} ${address}`);
  }

  /** All entries of an address at a provider, in any spelling. */
  entriesOf({ name }: Site, email: string): Made[] {
    return [...this.entries.values()].filter(
      (one) => one.site === name && one.address.toLowerCase() === email,
    );
  }

  isAsked({ name }: Site, email: string): boolean {
    return this.asked.has(`${name} ${email}`) || this.isConfirmed(name, email);
  }

  /** The provider lists an address, for a reason of its own. */
  list(site: Site, cause: SiteCause, address: string, at = new Date()): void {
    const entry = { list: site.lists[cause]!, address };
    const number = this.next();
    site.take(entry);
    site.put(entry, cause, at);
    this.keep(site, { ...entry, site: site.name, by: 'provider', cause, number });
    this.facts.push({ site: site.name, email: address.toLowerCase(), cause, number });
    this.tell(address.toLowerCase(), `${site.name} lists ${address}: ${cause}`);
  }

  /** A person removes an entry at the provider. */
  remove(site: Site, entry: Made): void {
    site.take(entry);
    this.forget(site, entry);
    const email = entry.address.toLowerCase();
    this.edits.push({ site: site.name, email, number: this.next() });
    this.tell(email, `somebody removes it from ${entry.list} of ${site.name}`);
  }

  endDay(): void {
    this.nights++;
    this.asked.clear();
  }

  onRequest(site: Site, request: FakeRequest): void {
    const entry = site.changeOf(request) ?? site.lookedUp(request);
    if (entry) {
      this.asked.add(`${site.name} ${entry.address.toLowerCase()}`);
    }
  }

  onAnswer(site: Site, request: FakeRequest, status: number): void {
    const change = site.changeOf(request);
    if (!change || status >= 300) {
      return;
    }
    this.count(`${site.name} ${change.action}`);
    this.tell(change.address.toLowerCase(), `${request.method} ${site.name} ${change.list}`);
    const before = this.entryOf(site, change);
    if (change.action === 'remove') {
      this.checkRemoval(site, before!);
      this.forget(site, change);
      return;
    }
    if (before) {
      this.violations.push(`night ${this.nights}: ${site.name} got ${change.address} again`);
    }
    this.keep(site, { ...change, site: site.name, by: 'service', cause: null, number: this.next() });
  }

  private checkRemoval({ name }: Site, { by, cause, address, number, list }: Made): void {
    const email = address.toLowerCase();
    const isLifted = this.lifts.some((lift) => lift.email === email && lift.number > number);
    const isAllowed = by === 'service' || (cause === 'bounce' && isLifted) || this.isConfirmed(name, email);
    if (!isAllowed) {
      this.violations.push(`night ${this.nights}: ${name} lost the ${cause} of ${address} on ${list}`);
      this.violations.push(...this.storyOf(email));
    }
    this.count(`${name} ${by} ${cause ?? 'entry'} removed`);
  }

  private isConfirmed(name: SiteName, email: string): boolean {
    return this.confirmations.some(
      ({ site, email: confirmed, night }) =>
        site === name && confirmed === email && this.nights - night < CONFIRMED_DAYS,
    );
  }

  private keep({ name }: Site, made: Made): void {
    this.entries.set(`${name} ${made.list} ${made.address}`, made);
  }

  private forget({ name }: Site, { list, address }: Entry): void {
    this.entries.delete(`${name} ${list} ${address}`);
  }
}
