import { randomUUID } from 'node:crypto';
import { FORMATS, type SimulatedEvent } from '../day/day-formats.js';
import { post, type TestSource } from '../sources.js';
import type { World } from '../world.js';
import { DAY_MS, type MonthLog } from './month-log.js';
import type { Site, SiteCause } from './month-sites.js';

const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };
const HOUR_MS = 60 * 60 * 1000;
const EVENT_TYPES = { bounce: 'hard', complaint: 'complaint', unsubscribe: 'unsubscribe' } as const;

interface Webhook {
  site: Site;
  event: SimulatedEvent;
  /** The night after which it is sent. */
  due: number;
}

/** Numbers from 0 up to a bound. */
export type Random = (bound: number) => number;

export interface ListRef {
  site: Site;
  id: string;
}

/** Who uses the service and the providers. */
export class MonthPeople {
  private webhooks: Webhook[] = [];

  constructor(
    private readonly world: World,
    private readonly log: MonthLog,
    private readonly emails: string[],
    private readonly sources: Record<string, TestSource>,
    private readonly random: Random,
  ) {}

  /** A mailer sends, unless the address is suppressed here. The provider drops what it lists, or finds something out. */
  async mail(site: Site): Promise<void> {
    const email = this.someone();
    if (
      (await this.isSuppressed(email)) ||
      this.log.entriesOf(site, email).length > 0 ||
      this.log.isAsked(site, email)
    ) {
      return;
    }
    const cause = this.pick<SiteCause | null>([
      'bounce',
      'bounce',
      'bounce',
      'complaint',
      'unsubscribe',
      null,
    ]);
    if (cause !== null && site.lists[cause] !== undefined) {
      const keepsCase = site.name !== 'sendgrid' && this.random(8) === 0;
      this.log.list(site, cause, keepsCase ? spelledOtherwise(email) : email);
      this.report(site, cause, email);
    }
    await this.deliverDue();
  }

  /** Sends the webhooks that are due: at once, late, twice, or never. */
  async deliverDue(all = false): Promise<void> {
    const due = this.webhooks.filter((webhook) => all || webhook.due <= this.log.nights);
    this.webhooks = this.webhooks.filter((webhook) => !due.includes(webhook));
    for (const { site, event } of due) {
      const { writers, bodyOf, authenticate } = FORMATS[site.name]!;
      const occurredAt = new Date(event.occurredAt.getTime() - this.log.nights * DAY_MS);
      const id = randomUUID();
      const text = JSON.stringify(bodyOf([writers[event.type]!({ ...event, occurredAt })], id));
      const source = this.sources[site.name]!;
      const { status } = await post(this.world, source, text, authenticate(text, id, source.secrets));
      expect([site.name, status]).toEqual([site.name, 200]);
      this.log.tell(event.email, `webhook of ${site.name}: ${event.type}`);
    }
  }

  async lift(email = this.someone()): Promise<void> {
    const { status } = await this.as().delete(`/suppressions/${email}`);
    if (status === 200) {
      this.log.lifts.push({ email, number: this.log.next() });
      this.log.tell(email, 'lifted');
      this.log.count('lift');
    }
  }

  async add(email = this.someone()): Promise<void> {
    await this.as().post('/suppressions').send({ email });
    this.log.additions.push({ email, number: this.log.next() });
    this.log.tell(email, 'added by hand');
  }

  /** A provider adds an address that somebody added here, and its response is lost. */
  async addInVain(site: Site): Promise<void> {
    const email = this.someone();
    if (!(await this.isSuppressed(email)) && this.log.entriesOf(site, email).length === 0) {
      site.fake.losses++;
      await this.add(email);
      this.log.count('addition without a response');
    }
  }

  /** Lifts an address that somebody added here. */
  async liftAddition(): Promise<void> {
    const added = this.log.additions.filter(({ email }) => !this.log.isTouched(email));
    if (added.length > 0) {
      await this.lift(this.pick(added).email);
    }
  }

  /** A complaint that no webhook reports takes the place of what the service put there, and the address is lifted here. */
  async complainAndLift(site: Site): Promise<void> {
    const replaced = this.emails
      .flatMap((email) => this.log.entriesOf(site, email))
      .filter(({ by, address }) => by === 'service' && this.isFree(site, address.toLowerCase()));
    if (replaced.length > 0) {
      const entry = this.pick(replaced);
      const email = entry.address.toLowerCase();
      if (await this.isSuppressed(email)) {
        this.log.remove(site, entry);
        this.log.list(site, 'complaint', entry.address, new Date(Date.now() - HOUR_MS));
        await this.lift(email);
        this.log.count('complaint without a webhook');
      }
    }
  }

  /** Confirms the removal of what was lifted here, and the provider still has. */
  async confirm({ site, id }: ListRef): Promise<void> {
    for (const email of this.emails) {
      const isLeft = this.log
        .entriesOf(site, email)
        .some(({ by, cause }) => by === 'provider' && cause !== 'bounce');
      if (isLeft && !(await this.isSuppressed(email))) {
        const night = this.log.nights;
        this.log.confirmations.push({ site: site.name, email, night, number: this.log.next() });
        const sent = { emails: [email], consent: CONSENT };
        await this.as().post(`/provider-lists/${id}/removals`).send(sent).expect(202);
        this.log.count('confirmation');
        this.log.tell(email, `removal from ${site.name} confirmed`);
        return;
      }
    }
  }

  /** Somebody adds, removes, or replaces an entry on the provider's page, of which no webhook tells. */
  edit(site: Site): void {
    const email = this.someone();
    if (this.log.isAsked(site, email)) {
      return;
    }
    const [entry] = this.log.entriesOf(site, email);
    if (!entry) {
      const cause = this.pick(Object.keys(site.lists) as SiteCause[]);
      this.log.list(site, cause, email);
      this.log.count('edit: added');
      return;
    }
    if (this.random(4) === 0) {
      this.log.list(site, this.pick(Object.keys(site.lists) as SiteCause[]), entry.address);
      this.log.count('edit: another cause');
      return;
    }
    this.log.remove(site, entry);
    this.log.count('edit: removed');
    const cause = entry.cause ?? 'complaint';
    if (site.name !== 'sendgrid' && this.random(3) === 0) {
      this.log.list(site, cause, spelledOtherwise(entry.address));
      this.log.count('edit: spelled otherwise');
    }
  }

  isSuppressed(email: string): Promise<boolean> {
    return this.as()
      .get(`/suppressions/${email}`)
      .then(({ status }) => status === 200);
  }

  private isFree(site: Site, email: string): boolean {
    return !this.log.isAsked(site, email) && !this.log.isTouched(email);
  }

  someone(): string {
    return this.pick(this.emails.filter((email) => !this.log.isTouched(email)));
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.random(values.length)]!;
  }

  private report(site: Site, cause: SiteCause, email: string): void {
    const number = this.log.next();
    const at = new Date(Math.floor(this.log.now() / 1_000) * 1_000);
    const type = EVENT_TYPES[cause];
    const event = { number, source: site.name, type, email, mail: randomUUID(), occurredAt: at, sentAt: at };
    const days = this.pick([[0], [0], [0], [0, 1], [0, 0], [1], [3], []]);
    this.webhooks.push(...days.map((late) => ({ site, event, due: this.log.nights + late })));
    this.log.count(['webhook never', 'webhook', 'webhook twice'][days.length]!);
  }

  private as() {
    return this.world.as(this.world.alice);
  }
}

function spelledOtherwise(address: string): string {
  const lower = address.toLowerCase();
  return address === lower ? lower.replace(/^./, (letter) => letter.toUpperCase()) : lower;
}
