import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LONGEST_WRITE_MS, transactionBefore } from '../database/transaction.js';
import { receivingGroup } from '../email-address/receiving-group.js';
import { HoldsRepository } from '../suppressions/holds.repository.js';
import { lowestIdAt } from '../validation/parsers.js';
import { IncidentCountsRepository, type NewCount } from './counts.repository.js';
import { bucketOf, hashOfText, isFirstInWindow, isRecentlyDelivered, textOf } from './counted-bounces.js';
import { DetectionService, type ReadBounce } from './detection.service.js';
import { IncidentEventsRepository, type Bounce, type Results } from './events.repository.js';
import { NO_TEXT } from './incident-count.entity.js';
import { IncidentsRepository, type Watch } from './incidents.repository.js';

const DAY_MS = 86_400_000;
const KEPT: { type: 'system'; id: null; name: string } = { type: 'system', id: null, name: 'incident' };
const FAILED_AGAIN = 'The address failed again after the incident.';

/**
 * Counts the events of the inbox after they were stored, so that deliveries neither wait for each other nor write more. The lock
 * on the watch makes each event count once, whichever instance counts it.
 */
@Injectable()
export class CountingService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly incidents: IncidentsRepository,
    private readonly events: IncidentEventsRepository,
    private readonly counts: IncidentCountsRepository,
    private readonly holds: HoldsRepository,
    private readonly detection: DetectionService,
  ) {}

  /**
   * Counts some events of an account, and opens the incidents that they show.
   *
   * @returns whether there may be more
   */
  count(accountId: number): Promise<boolean> {
    return transactionBefore(this.dataSource, Infinity, async (transaction) => {
      const watch = await this.incidents.lock(accountId, transaction);
      return watch !== null && watch.guard !== 'off' && this.countSome(accountId, watch, transaction);
    });
  }

  /**
   * Sums up the next day, an hour after its end, since some events are reported late. In a transaction of its own: a failure does
   * not keep events from being counted.
   *
   * @returns whether there may be more days
   */
  async sumUpDay(accountId: number): Promise<boolean> {
    const day = await transactionBefore(this.dataSource, Infinity, async (transaction) => {
      const watch = await this.incidents.lock(accountId, transaction);
      const now = watch?.now.getTime() ?? 0;
      if (!watch || watch.guard === 'off' || watch.day >= dayOf(now - DAY_MS / 24)) {
        return null;
      }
      const start = Date.parse(watch.day);
      if (start > now - 3 * DAY_MS) {
        await this.counts.sumUpDay(accountId, watch.day, transaction);
      }
      const next = { lastEventId: watch.lastEventId, day: dayOf(start + DAY_MS) };
      await this.incidents.advance(accountId, next, transaction);
      return watch.day;
    });
    if (day === null) {
      return false;
    }
    while (await this.counts.deleteOld(accountId, day)) {
      // The next rows follow.
    }
    return true;
  }

  private async countSome(accountId: number, watch: Watch, transaction: EntityManager): Promise<boolean> {
    const { lastEventId: after, day } = watch;
    const before = lowestIdAt(watch.now.getTime() - LONGEST_WRITE_MS);
    const since = new Date(watch.now.getTime() - DAY_MS);
    const range = { after, before, since };
    const found = await this.events.countResults(accountId, range, transaction);
    if (!found) {
      await this.incidents.advance(accountId, { lastEventId: after, day }, transaction);
      return false;
    }
    const { lastId, isLast, results } = found;
    const bounces = await this.events.readBounces(accountId, { after, through: lastId, since }, transaction);
    const read = bounces.map(readBounce);
    await this.counts.add(accountId, countsOf(results, read), transaction);
    await this.detection.detect(accountId, watch, read, transaction);
    await this.keepFailedAgain(accountId, read, transaction);
    await this.incidents.advance(accountId, { lastEventId: lastId, day }, transaction);
    return !isLast;
  }

  private async keepFailedAgain(
    accountId: number,
    bounces: ReadBounce[],
    transaction: EntityManager,
  ): Promise<void> {
    const failed = bounces.flatMap(({ suppressionId, occurredAt }) =>
      suppressionId === null ? [] : [{ suppressionId, occurredAt }],
    );
    const ids = await this.incidents.findFailedAgain(accountId, failed, transaction);
    await this.holds.keep({ accountId, actor: KEPT }, ids, FAILED_AGAIN, transaction);
  }
}

function readBounce(bounce: Bounce): ReadBounce {
  const text = textOf(bounce.diagnostic, bounce.email);
  const group = receivingGroup(bounce.email.slice(bounce.email.lastIndexOf('@') + 1));
  return { ...bounce, group, fingerprint: text, text: text === null ? null : hashOfText(text) };
}

function countsOf(results: Results[], bounces: ReadBounce[]): NewCount[] {
  const counts = new Map<string, NewCount>();
  const countOf = (at: Date, textHash: string, group: string) => {
    const key = `${at.getTime()} ${textHash} ${group}`;
    const count = counts.get(key) ?? { at, textHash, group, results: 0, addresses: 0, known: 0, recent: 0 };
    counts.set(key, count);
    return count;
  };
  for (const { domain, at, results: number } of results) {
    countOf(at, NO_TEXT, receivingGroup(domain)).results += number;
  }
  for (const bounce of bounces.filter(isFirstInWindow)) {
    const at = new Date(bucketOf(bounce.occurredAt.getTime()));
    const count = countOf(at, bounce.text ?? NO_TEXT, bounce.group);
    count.addresses++;
    count.known += Number(bounce.lastDeliveryAt !== null);
    count.recent += Number(isRecentlyDelivered(bounce));
  }
  return [...counts.values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function keyOf({ at, textHash, group }: NewCount): string {
  return `${at.getTime()} ${textHash} ${group}`;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
