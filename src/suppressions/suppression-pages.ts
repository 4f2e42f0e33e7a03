import { Injectable } from '@nestjs/common';
import { BatchedReads, type BatchOptions } from '../database/batched-reads.js';
import type { DelimitedRows } from '../database/delimited-rows.js';
import { ReadReplica } from '../database/read-replica.js';
import { toPage, type Page } from '../http/page.js';
import { masksOf, type CauseFilter } from '../ledger/cause.js';
import { HIGHEST_ID, LOWEST_ID } from '../validation/id.js';
import { nameOf, PAGES, statementFor, type PageKind } from './page-statement.js';
import { idRangeOf, type SuppressionFilter } from './suppression-filter.js';
import { createdAtOf } from './suppression-id.js';
import { parseSuppressions, type FoundSuppression } from './suppression-lookup.js';

export interface ListFilter extends SuppressionFilter {
  /** The page begins after this id. */
  after?: string | undefined;
  /** The page ends before this id. */
  before?: string | undefined;
}

/** The first records between two ids, in the direction of reading. */
interface PageRange extends CauseFilter {
  limit: number;
  start: string;
  end: string;
  domain: string | undefined;
}

/** Pages that can share a statement. */
interface PageGroup extends PageKind {
  /** See {@link ReadReplica.onPrimary}. A batch runs outside of the requests that wait for it. */
  isOnPrimary: boolean;
}

const BATCHES: BatchOptions<PageGroup> = {
  keyOf: (group) => `${group.accountId} ${nameOf(group)} ${group.isOnPrimary}`,
  maxBatch: 4,
  maxRunning: 2,
  isPipelined: true,
};

/** Reads the list. Simultaneous pages of one {@link PageGroup} are batched into one statement. */
@Injectable()
export class SuppressionPages {
  private readonly pages: BatchedReads<PageGroup, PageRange, DelimitedRows>;

  constructor(private readonly replica: ReadReplica) {
    this.pages = new BatchedReads(BATCHES, async (group, ranges) => {
      const pages = ranges.map(({ limit, start, end, domain = null, ...causes }) => ({
        size: limit,
        startId: start,
        endId: end,
        startAt: createdAtOf(start),
        endAt: createdAtOf(end),
        domain,
        masks: group.byCauses || group.byDomain ? `{${masksOf(causes).join(',')}}` : null,
      }));
      const values = [group.accountId, ...PAGES.values(pages)];
      const read = () => replica.read((dataSource) => statementFor(group).run(dataSource, values));
      return group.isOnPrimary ? replica.onPrimary(read) : read();
    });
  }

  /**
   * A page of the list, newest first. The order of the ids is the order of creation. No record has the lowest id of a
   * millisecond, which is not a UUIDv7 (RFC 9562, section 4.2), so it does not matter whether such a bound is included.
   */
  async read(accountId: number, limit: number, filter: ListFilter): Promise<Page<FoundSuppression>> {
    const { after = HIGHEST_ID, before = LOWEST_ID, domain, cause, origin } = filter;
    const { lowest, end } = idRangeOf(filter);
    const low = before > lowest ? before : lowest;
    const high = after < end ? after : end;
    const isBackwards = filter.before !== undefined;
    const rows = await this.pages.read(
      {
        accountId,
        byDomain: domain !== undefined,
        byCauses: cause !== undefined || origin !== undefined,
        isBackwards,
        isOnPrimary: this.replica.isOnPrimary,
      },
      {
        limit: limit + 1,
        start: isBackwards ? low : high,
        end: isBackwards ? high : low,
        domain,
        cause,
        origin,
      },
    );
    const { elements, hasMore } = toPage(parseSuppressions([rows]), limit);
    return { elements: isBackwards ? elements.toReversed() : elements, hasMore };
  }
}
