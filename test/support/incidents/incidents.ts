import { IncidentSweep } from '../../../src/incidents/incident-sweep.js';
import { createSource, postWithCredential, sparkpostBatch, type TestSource } from '../sources.js';
import type { World } from '../world.js';

export const GMAIL_ANSWER =
  '550-5.1.1 The email account that you tried to reach does not exist. Please try ' +
  "550-5.1.1 double-checking the recipient's email address for typos - gsmtp";
const BATCH = 500;

/** Mail of an account through SparkPost, and the pass that watches its bounces. */
export class WatchedMail {
  /**
   * In seconds since 1970, the start of five minutes that are counted together: tests must not depend on when the next ones begin.
   */
  private readonly now = Math.floor(Date.now() / 300_000) * 300;

  private constructor(
    private readonly world: World,
    readonly source: TestSource,
  ) {}

  static async create(world: World, account: string): Promise<WatchedMail> {
    return new WatchedMail(world, await createSource(world, 'sparkpost', { account }));
  }

  /** Reports that mail was delivered, some minutes ago. */
  delivered(emails: string[], minutesAgo = 0): Promise<void> {
    return this.report(emails, { type: 'delivery' }, minutesAgo);
  }

  bounced(emails: string[], raw_reason = GMAIL_ANSWER, minutesAgo = 0): Promise<void> {
    return this.report(emails, { type: 'bounce', bounce_class: '10', raw_reason }, minutesAgo);
  }

  /** Reports that the provider did not send, because the addresses were on its own list. */
  listed(emails: string[]): Promise<void> {
    const raw_reason = '554 5.7.1 recipient address was suppressed due to customer policy (Bounce Rule)';
    return this.report(emails, { type: 'bounce', bounce_class: '25', raw_reason }, 0);
  }

  private async report(emails: string[], fields: object, minutesAgo: number): Promise<void> {
    const timestamp = String(this.now - minutesAgo * 60);
    for (let first = 0; first < emails.length; first += BATCH) {
      const events = emails
        .slice(first, first + BATCH)
        .map((raw_rcpt_to) => ({ ...fields, timestamp, raw_rcpt_to }));
      const { status } = await postWithCredential(this.world, this.source, sparkpostBatch(events));
      expect(status).toBe(200);
    }
  }

  /**
   * As if what was reported until now had been reported some seconds earlier: the pass waits until all writes of a time have ended.
   */
  async age(seconds = 11): Promise<void> {
    await this.world.database.query(
      `UPDATE delivery_events
      SET id = (
        regexp_replace(
          lpad(to_hex(('x0000' || replace(substr(id::text, 1, 13), '-', ''))::bit(64)::bigint - $2), 12, '0'),
          '(.{8})(.{4})',
          '\\1-\\2'
        ) || substr(id::text, 14)
      )::uuid
      WHERE source_id = $1`,
      [this.source.id, seconds * 1000],
    );
  }

  async pass(): Promise<void> {
    await this.age();
    await sweepIncidents(this.world);
  }
}

/** Twice, because a run that is under way has perhaps passed the account already. */
export async function sweepIncidents({ app }: Pick<World, 'app'>): Promise<void> {
  await app.get(IncidentSweep).run();
  await app.get(IncidentSweep).run();
}

/** As if all incidents, and the bounces that were counted, had been so many minutes ago, a multiple of five. */
export async function ageIncidents({ database }: World, minutes: number): Promise<void> {
  await database.query(
    `UPDATE incidents SET
      opened_at = opened_at - $1 * interval '1 minute',
      active_at = active_at - $1 * interval '1 minute',
      closed_at = closed_at - $1 * interval '1 minute'`,
    [minutes],
  );
  // In two statements, so that no row gets the time of another one that is still there.
  await database.query(
    `UPDATE incident_counts SET at = at - interval '876000 hours';
    UPDATE incident_counts SET at = at + interval '876000 hours' - ${minutes} * interval '1 minute'`,
  );
}

export function addresses(count: number, domain = 'gmail.com', name = 'person'): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index}@${domain}`);
}
