import type { World } from '../world.js';
import type { MonthLog } from './month-log.js';
import type { Site, SiteCause } from './month-sites.js';

interface Change {
  action: string;
  cause: string | null;
  actor: string;
  name: string;
}

const LEDGER = `SELECT action, cause, actor_type AS actor, actor_name AS name
  FROM suppression_changes WHERE email = $1 AND topic_id IS NULL ORDER BY revision`;

/** What agrees in no way that the rules and the events of the month explain. */
export class MonthVerdict {
  readonly disagreements: string[] = [];
  /** The differences that the rules demand, by their reason. */
  readonly rest: Record<string, string[]> = {};

  constructor(
    private readonly world: World,
    private readonly sites: Site[],
    private readonly log: MonthLog,
  ) {}

  async judge(emails: string[]): Promise<void> {
    for (const email of emails) {
      const before = this.disagreements.length;
      const causes = await this.causesOf(email);
      const changes = await this.world.database.query<Change>(LEDGER, [email]);
      this.sites.forEach((site) => this.compare(site, email, causes, hadBounceWhenLifted(changes)));
      this.requireSuppressed(email, causes);
      this.judgeLedger(email, changes);
      if (this.disagreements.length > before) {
        this.disagreements.push(...this.log.storyOf(email));
      }
    }
  }

  private compare(site: Site, email: string, causes: string[], hadBounce: boolean): void {
    const there = this.log.entriesOf(site, email);
    const what = `${site.name} ${email}`;
    const lifted = this.lastLift(email);
    const own = there.filter(({ by }) => by === 'service').map(({ list }) => list);
    if (new Set(own).size < own.length) {
      this.disagreements.push(`${what}: put there twice`);
    }
    if (causes.length > 0 && there.length === 0) {
      this.explain(what, `only here: ${causes.join()}`, {
        'an unsubscribe': causes.every((cause) => cause === 'unsubscribe') && !site.pushesUnsubscribes,
        'no list for it':
          causes.every((cause) => ['manual', 'unsubscribe'].includes(cause)) && site.lacksManual,
        'removed there': this.log.edits.some((edit) => edit.site === site.name && edit.email === email),
      });
    }
    for (const { by, cause, number } of causes.length === 0 ? there : []) {
      this.explain(what, `only there: ${cause} of the ${by}`, {
        'lifted here': by === 'provider' && cause !== 'bounce' && lifted > number,
        'a bounce that nobody lifted':
          by === 'provider' && cause === 'bounce' && lifted > number && !hadBounce,
        'an opt-out there since it was put': by === 'service' && this.optedOutAt(site, email) > number,
      });
    }
  }

  /** When the provider last found out a complaint or an unsubscribe by itself; 0 if never. */
  private optedOutAt(site: Site, email: string): number {
    const facts = this.log.facts.filter(
      (fact) => fact.site === site.name && fact.email === email && fact.cause !== 'bounce',
    );
    return Math.max(0, ...facts.map(({ number }) => number));
  }

  /** Whoever added it, or what a provider still has that came after the last lift. */
  private requireSuppressed(email: string, causes: string[]): void {
    const lifted = this.lastLift(email);
    const added = this.log.additions.find((addition) => addition.email === email && addition.number > lifted);
    if (added && causes.length === 0) {
      this.disagreements.push(`${email}: added here, and lifted by nobody`);
    }
    const known: string[] = this.log.facts.filter((fact) => fact.email === email).map(({ cause }) => cause);
    const possible = this.log.additions.some((addition) => addition.email === email)
      ? [...known, 'manual']
      : known;
    if (!causes.every((cause) => possible.includes(cause))) {
      this.disagreements.push(
        `${email}: is suppressed for ${causes.join()}, but only had ${possible.join()}`,
      );
    }
  }

  /** A list pulls what its provider found out by itself, and not what was lifted here later. */
  private judgeLedger(email: string, changes: Change[]): void {
    const lifts = this.log.lifts.filter((lift) => lift.email === email);
    const removals = changes.filter(({ action }) => action === 'removed');
    if (removals.length !== lifts.length || removals.some(({ actor }) => actor === 'provider_list')) {
      this.disagreements.push(`${email}: removed ${removals.length} times, lifted ${lifts.length} times`);
      return;
    }
    const present = new Set<string>();
    const withdrawn = new Map<string, number>();
    for (const { action, cause, actor, name } of changes) {
      if (action === 'removed') {
        const { number } = lifts.shift()!;
        present.forEach((one) => withdrawn.set(one, number));
        present.clear();
        continue;
      }
      present.add(cause!);
      const since = withdrawn.get(cause!) ?? 0;
      const isTrue = this.log.facts.some(
        (fact) =>
          fact.site === name &&
          fact.email === email &&
          fact.cause === (cause as SiteCause) &&
          fact.number > since,
      );
      if (actor === 'provider_list' && !isTrue) {
        this.disagreements.push(`${email}: ${cause} was pulled from ${name}, which did not find it out`);
      }
    }
  }

  private explain(what: string, difference: string, reasons: Record<string, boolean>): void {
    const reason = Object.keys(reasons).find((name) => reasons[name]);
    if (reason) {
      this.rest[reason] = [...(this.rest[reason] ?? []), what];
    } else {
      this.disagreements.push(`${what}: ${difference}`);
    }
  }

  private lastLift(email: string): number {
    return Math.max(0, ...this.log.lifts.filter((lift) => lift.email === email).map(({ number }) => number));
  }

  private async causesOf(email: string): Promise<string[]> {
    const { as, alice } = this.world;
    const { status, body } = await as(alice).get(`/suppressions/${email}`).query({ include: 'causes' });
    return status === 404 ? [] : body.causes.map(({ cause }: { cause: string }) => cause);
  }
}

/** Whether the record had a bounce when somebody last lifted the address. */
function hadBounceWhenLifted(changes: Change[]): boolean {
  const last = changes.findLastIndex(({ action }) => action === 'removed');
  const before = changes.slice(0, Math.max(0, last));
  const begin = before.findLastIndex(({ action }) => action === 'removed');
  return before.slice(begin + 1).some(({ cause }) => cause === 'bounce');
}
