import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LONGEST_WRITE_MS } from '../database/transaction.js';
import { receivingGroup } from '../email-address/receiving-group.js';
import { HoldsRepository } from '../suppressions/holds.repository.js';
import { lowestIdAt } from '../validation/parsers.js';
import {
  countResults,
  isFirstInWindow,
  isRecentlyDelivered,
  readBounces,
  type Bounce,
  type Results,
} from './bounces.js';
import { addCounts, deleteOldCounts, sumUpDay, type NewCount } from './counts.js';
import { bucketOf } from './detect.js';
import { detectIncidents } from './detection.js';
import { NO_TEXT } from './incident.entity.js';
import { findFailedAgain } from './running-incidents.js';
import { advance, IncidentWatches, type Watch } from './watches.js';

const DAY_MS = 86_400_000;
const KEPT: { type: 'system'; id: null; name: string } = { type: 'system', id: null, name: 'incident' };
const FAILED_AGAIN = 'The address failed again after the incident.';

/**
 * Counts the events of the inbox after they are stored, so that deliveries neither wait for each other nor write more. The lock
 * on the watch ensures that each event is counted once, by whichever instance.
 */
@Injectable()
export class CountingService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly watches: IncidentWatches,
    private readonly holds: HoldsRepository,
  ) {}

  /**
   * Counts some events of an account, and opens incidents if it detects any.
   *
   * @returns whether there may be more
   */
  async count(accountId: number): Promise<boolean> {
    return this.watches.watching(
      accountId,
      false,
      async (watch) => watch.guard !== 'off' && this.countSome(watch),
    );
  }

  /**
   * Sums up the next day, an hour after its end, since some events are reported late. It uses a transaction of its own, so that
   * a failure does not keep events from being counted.
   *
   * @returns whether there may be more days
   */
  async sumUpDay(accountId: number): Promise<boolean> {
    const day = await this.watches.watching(accountId, undefined, async (watch) => {
      const now = watch.now.getTime();
      if (watch.guard === 'off' || watch.day >= dayOf(now - DAY_MS / 24)) {
        return undefined;
      }
      const start = Date.parse(watch.day);
      if (start > now - 3 * DAY_MS) {
        await sumUpDay(watch);
      }
      await advance(watch, { lastEventId: watch.lastEventId, day: dayOf(start + DAY_MS) });
      return watch.day;
    });
    if (day === undefined) {
      return false;
    }
    while (await deleteOldCounts(this.dataSource, accountId, day)) {
      // Continue with the next rows.
    }
    return true;
  }

  private async countSome(watch: Watch): Promise<boolean> {
    const before = lowestIdAt(watch.now.getTime() - LONGEST_WRITE_MS);
    const since = new Date(watch.now.getTime() - DAY_MS);
    const found = await countResults(watch, { before, since });
    if (!found) {
      await advance(watch, watch);
      return false;
    }
    const { lastId, isLast, results } = found;
    const bounces = await readBounces(watch, { through: lastId, since });
    await addCounts(watch, countsOf(results, bounces));
    await detectIncidents(watch, bounces);
    await this.keepFailedAgain(watch, bounces);
    await advance(watch, { lastEventId: lastId, day: watch.day });
    return !isLast;
  }

  private async keepFailedAgain(watch: Watch, bounces: Bounce[]): Promise<void> {
    const failed = bounces.flatMap(({ suppressionId, occurredAt }) =>
      suppressionId === null ? [] : [{ suppressionId, occurredAt }],
    );
    const ids = await findFailedAgain(watch, failed);
    const { accountId, transaction } = watch;
    await this.holds.keep({ accountId, actor: KEPT }, ids, FAILED_AGAIN, transaction);
  }
}

function countsOf(results: Results[], bounces: Bounce[]): NewCount[] {
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
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
