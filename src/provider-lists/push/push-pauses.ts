import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ProviderFailure } from '../client/provider-failure.js';
import { PlansRepository } from '../plans/plans.repository.js';
import { ProviderList } from '../provider-list.entity.js';
import { backoffMs } from './push-outcomes.js';

/** The pause after a 429 that names no time. */
const BUSY_MS = 60_000;
/**
 * If the provider rejects this many consecutive changes, even in several turns, the problem is the list rather than the
 * addresses.
 */
const MAX_UNEXPECTED = 5;

/** Counts consecutive failures of a provider list, and pauses its pushes after them. */
@Injectable()
export class PushPauses {
  constructor(
    private readonly dataSource: DataSource,
    private readonly plans: PlansRepository,
  ) {}

  /** @throws {ProviderFailure} if it is at least the {@link MAX_UNEXPECTED}th in a row; the pause then counts it */
  async countUnexpected(list: ProviderList, failure: ProviderFailure): Promise<void> {
    if (list.pushFailures + 1 >= MAX_UNEXPECTED) {
      throw failure;
    }
    list.pushFailures++;
    const { accountId, id, pushFailures } = list;
    await this.dataSource.manager.update(ProviderList, { accountId, id }, { pushFailures });
  }

  /** Resets the count after an expected response, or when nothing is pending. */
  async recover(list: ProviderList): Promise<void> {
    if (list.pushFailures > 0) {
      list.pushFailures = 0;
      const { accountId, id } = list;
      const works = { pushFailures: 0, pushError: null };
      await this.dataSource.manager.update(ProviderList, { accountId, id }, works);
    }
  }

  async pause(list: ProviderList, failure: ProviderFailure): Promise<void> {
    if (failure.kind === 'refused') {
      await this.plans.stop(list, failure.message);
    } else {
      const failures = list.pushFailures + 1 - (failure.kind === 'unexpected' ? MAX_UNEXPECTED - 1 : 0);
      const pauseMs = failure.kind === 'busy' ? BUSY_MS : backoffMs(failures);
      await this.pauseFor(list, failure.retryAfterMs ?? pauseMs, failure.message);
    }
  }

  async pauseFor(
    { accountId, id, pushFailures }: ProviderList,
    pauseMs: number,
    pushError: string,
  ): Promise<void> {
    const pushPausedUntil = new Date(Date.now() + pauseMs);
    await this.dataSource.manager.update(
      ProviderList,
      { accountId, id },
      { pushPausedUntil, pushError, pushFailures: pushFailures + 1 },
    );
  }
}
