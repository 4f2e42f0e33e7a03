import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { domainOf } from '../email-address/email-address.js';
import { fingerprint } from '../ledger/fingerprint.js';
import { JobFailedError, type JobKey, type RunningJob } from '../jobs/job-handler.js';
import { rangeBetween } from '../ledger/suppression-changes.repository.js';
import { examineCandidates, scanForLift, type Candidate } from './candidates.js';
import { LiftLinesRepository, type Group, type NewLine } from './lift-lines.repository.js';
import type { CountProgress, LiftProgress } from './lift.js';
import type { FoundLift } from './lifts.repository.js';

const MAX_LINES = 1_000_000;

/** Finds the suppressions that a lift looks for, and stores a line for each. */
@Injectable()
export class CountLift {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lines: LiftLinesRepository,
  ) {}

  async run(job: RunningJob, lift: FoundLift): Promise<void> {
    const { accountId } = job;
    const { query, createdAt } = lift;
    let { count, ...rest } = job.checkpoint as LiftProgress;
    const range = rangeBetween(
      query.createdFrom,
      Math.min(query.createdBefore ?? Infinity, createdAt.getTime()),
    );
    for (;;) {
      const { position = range.position } = count;
      const found = await scanForLift(this.dataSource, accountId, lift, { ...range, position });
      if (!found) {
        return;
      }
      ({ count } = await job.advance(async (transaction): Promise<LiftProgress> => {
        const changeIds = found.lines.map((line) => line.id);
        const candidates =
          changeIds.length === 0 ? [] : await examineCandidates(accountId, lift, changeIds, transaction);
        const added = await this.add(job, candidates, count.lastNumber, transaction);
        const lastNumber = count.lastNumber + candidates.length;
        return { ...rest, count: addTo({ ...count, lastNumber }, added, found.position) };
      }));
      if (count.lines > MAX_LINES) {
        throw new JobFailedError(
          'lift_too_large',
          'More than 1,000,000 suppressions meet the conditions. Add a condition, such as shorter times.',
        );
      }
    }
  }

  private async add(
    { accountId, id }: JobKey,
    candidates: Candidate[],
    before: number,
    transaction: EntityManager,
  ): Promise<Candidate[]> {
    if (candidates.length === 0) {
      return [];
    }
    const lines = candidates.map(({ email, changeId, revision }, index): NewLine => {
      return { number: before + index + 1, email, changeId, revision };
    });
    const emails = await this.lines.add(accountId, id, lines, transaction);
    const added = candidates.filter(({ email }) => emails.delete(email));
    await this.lines.addToGroups(accountId, id, groupsOf(added), transaction);
    return added;
  }
}

function addTo(count: CountProgress, added: Candidate[], position: string): CountProgress {
  return {
    position,
    lastNumber: count.lastNumber,
    lines: count.lines + added.length,
    failedAgain: count.failedAgain + added.filter(({ hasFailedAgain }) => hasFailedAgain).length,
    deliveredBefore: count.deliveredBefore + added.filter(({ wasDelivered }) => wasDelivered).length,
  };
}

function groupsOf(candidates: Candidate[]): Group[] {
  const domains = countEach(candidates.map(({ email }) => domainOf(email)));
  const diagnostics = countEach(
    candidates.map(({ email, diagnostic }) => (diagnostic === null ? '' : fingerprint(diagnostic, email))),
  );
  return [
    ...[...domains].map(([key, count]): Group => ({ grouping: 'domain', key, count })),
    ...[...diagnostics].map(([key, count]): Group => ({ grouping: 'diagnostic', key, count })),
  ];
}

function countEach(keys: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
