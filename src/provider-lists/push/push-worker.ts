import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { isDatabaseUnavailable } from '../../database/errors.js';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import { Metrics } from '../../metrics/metrics.js';
import { BackgroundTasks, Sweep } from '../../process/background-tasks.js';
import { ProviderFailure } from '../client/provider-failure.js';
import { UnreadableCredentialsError } from '../errors.js';
import { ListCredentials } from '../list-credentials.js';
import { PlansRepository } from '../plans/plans.repository.js';
import { ProviderList } from '../provider-list.entity.js';
import { listProviderOf } from '../providers/providers.js';
import { DroppedPushesRepository } from './dropped-pushes.repository.js';
import { FanOut } from './fan-out.js';
import { OutboxRepository, type TakenPush } from './outbox.repository.js';
import {
  backoffMs,
  CAPPED,
  failedOutcome,
  outcomeOf,
  releasedOutcome,
  type SendResult,
} from './push-outcomes.js';
import { PushLeasesRepository } from './push-leases.repository.js';
import { PushPauses } from './push-pauses.js';
import { PushSender, type Sending } from './push-sender.js';

const INTERVAL_MS = 1_000;
const MAX_LISTS = 8;
/** After this time, a list that has more to send lets others go first. */
const TURN_MS = 20_000;
const FAILED = 'The service failed to send the changes. It tries again.';
const NOT_SENT = new ProviderFailure('unexpected', 'The service could not make a request for this address.');

/**
 * Sends changes to providers. Instances claim lists under a lease, so that only one at a time sends changes of a provider list,
 * at the provider's pace. If an instance dies during an attempt, the attempt is repeated, after looking the entry up.
 */
@Injectable()
export class PushWorker extends Sweep {
  private readonly logger = new Logger(PushWorker.name);
  private readonly failures: Counter;

  constructor(
    tasks: BackgroundTasks,
    { registry }: Metrics,
    private readonly leases: PushLeasesRepository,
    private readonly fanOut: FanOut,
    private readonly outbox: OutboxRepository,
    private readonly sender: PushSender,
    private readonly plans: PlansRepository,
    private readonly credentials: ListCredentials,
    private readonly dropped: DroppedPushesRepository,
    private readonly pauses: PushPauses,
  ) {
    super(tasks, { intervalMs: INTERVAL_MS, failure: 'changes for provider lists were not sent' });
    this.failures = new Counter({
      name: 'suppression_list_provider_failures_total',
      help: 'Requests to change provider lists that failed, by provider and kind',
      labelNames: ['provider', 'kind'],
      registers: [registry],
    });
  }

  /** Claims the next list whenever one is done, so that a list with many changes does not hold up others. */
  protected async sweep(stopping: AbortSignal): Promise<void> {
    const serving = new Map<string, Promise<void>>();
    const claim = async () => {
      const free = stopping.aborted ? 0 : MAX_LISTS - serving.size;
      const lists = free > 0 ? await this.leases.claim(free, [...serving.keys()]) : [];
      for (const list of lists) {
        const served = this.serve(list, stopping).finally(() => serving.delete(list.id));
        serving.set(list.id, served);
      }
    };
    try {
      for (await claim(); serving.size > 0; await claim()) {
        await Promise.race([...serving.values(), sleep(INTERVAL_MS, undefined, { ref: false })]);
      }
    } finally {
      await Promise.allSettled(serving.values());
    }
  }

  private async serve(list: ProviderList, stopping: AbortSignal): Promise<void> {
    let restMs = 0;
    try {
      if (list.hasWithdrawn) {
        await this.dropped.dropWithdrawn(list, stopping);
        await this.plans.endPushing(list);
      } else if (await this.sendAll(list, stopping)) {
        if (list.pushFailures > 0 && !(await this.outbox.hasPending(list))) {
          await this.pauses.recover(list);
        }
        await this.plans.endPushing(list);
        // The bounces of a plan may not be due yet.
        restMs = list.pushingPlanId === null ? 0 : INTERVAL_MS;
      }
    } catch (error) {
      if (error instanceof ProviderFailure) {
        this.failures.inc({ provider: list.provider, kind: error.kind });
        await this.pauses.pause(list, error);
      } else if (error instanceof UnreadableCredentialsError) {
        await this.pauses.pauseFor(list, backoffMs(list.pushFailures + 1), error.message);
      } else if (!stopping.aborted) {
        const { name = typeof error } = error as Error;
        this.logger.warn({ msg: 'changes for a provider list were not sent', list: list.id, error: name });
        restMs = backoffMs(1);
        if (!list.hasWithdrawn && !isDatabaseUnavailable(error)) {
          await this.pauses.pauseFor(list, restMs, FAILED);
        }
      }
    } finally {
      await this.leases.release(list, restMs);
    }
  }

  /**
   * @returns false if there is more to send
   * @throws {ProviderFailure} if the list must wait
   */
  private async sendAll(list: ProviderList, stopping: AbortSignal): Promise<boolean> {
    const end = performance.now() + TURN_MS;
    const connection = this.credentials.connect(list);
    let effective: readonly Cause[] | undefined;
    while (!stopping.aborted && performance.now() < end) {
      const hasMore = await this.fanOut.advance(list);
      const push = await this.outbox.take(list);
      if (!push) {
        if (hasMore) {
          continue;
        }
        return true;
      }
      if (push.isWanted && push.cappedUntil) {
        await this.postpone(list, push, push.cappedUntil);
        continue;
      }
      const began = performance.now();
      const sending = { connection, stopping, requests: 0 };
      let isWanted = push.isWanted;
      try {
        if (push.action === 'add') {
          effective ??= await this.sender.effectiveCauses(sending);
          isWanted &&= effective.includes(push.cause);
        }
        if (isWanted) {
          await this.sendOne(list, push, sending);
        }
      } catch (error) {
        const failure = await this.recordFailure(list, push, sending, error);
        await this.pauses.countUnexpected(list, failure);
        this.failures.inc({ provider: list.provider, kind: failure.kind });
      }
      if (!isWanted) {
        await this.dropped.dropUnwanted(list, push, effective ?? CAUSES);
        // The push is still there if it was wanted again by then.
        await this.outbox.record(list, push, releasedOutcome(push, new Date()));
      }
      await this.rest(list, push, sending, began);
    }
    return false;
  }

  /** Postpones a removal, and those that are due next, because the limit of removals has been reached. */
  private async postpone(list: ProviderList, push: TakenPush, until: Date): Promise<void> {
    await this.outbox.record(list, push, releasedOutcome(push, until, CAPPED));
    await this.outbox.postponeRemovals(list, until, CAPPED);
  }

  private async sendOne(list: ProviderList, push: TakenPush, sending: Sending): Promise<void> {
    let result: SendResult | 'send' = await this.sender.check(sending, push);
    let { sentAt } = push;
    if (result === 'send') {
      sentAt = await this.outbox.begin(list, push);
      result = sentAt ? await this.sender.change(sending, push) : 'superseded';
    }
    await this.outbox.record(list, push, outcomeOf({ ...push, sentAt }, result, new Date()));
    await this.pauses.recover(list);
  }

  /**
   * Records a failure. A failure that affects only this address does not hold up others; any other failure is thrown. If the
   * database is unavailable, nothing is recorded, and the change is due again when its lease ends.
   */
  private async recordFailure(
    list: ProviderList,
    push: TakenPush,
    { stopping }: Sending,
    error: unknown,
  ): Promise<ProviderFailure> {
    if (stopping.aborted || isDatabaseUnavailable(error)) {
      throw error;
    }
    const failure = error instanceof ProviderFailure ? error : NOT_SENT;
    await this.outbox.record(list, push, failedOutcome(push, failure, new Date()));
    if (failure.kind !== 'unexpected') {
      throw error;
    }
    return failure;
  }

  private async rest(
    { provider }: ProviderList,
    { action }: TakenPush,
    { requests, stopping }: Sending,
    began: number,
  ): Promise<void> {
    const { pace } = listProviderOf(provider)[action] ?? { pace: { ms: 0 } };
    const restMs = requests * pace.ms - (performance.now() - began);
    await sleep(Math.max(0, restMs), undefined, { signal: stopping });
  }
}
