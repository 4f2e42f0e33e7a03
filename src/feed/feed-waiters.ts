import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ServiceUnavailableError } from '../http/errors/errors.js';
import { FeedRepository } from './feed.repository.js';

const POLL_MS = 200;
const MAX_WAITERS = 1_000;
const MAX_WAITERS_PER_ACCOUNT = 100;

interface Waiter {
  accountId: number;
  /** The position after which it waits for a change. */
  position: number;
  wake: () => void;
}

/**
 * Requests that wait for changes. They hold no connection: one statement looks for all of them, five times a second. It does
 * not rely on LISTEN, which poolers do not support in transaction mode.
 */
@Injectable()
export class FeedWaiters implements OnModuleDestroy {
  private readonly waiters = new Set<Waiter>();
  private timer?: NodeJS.Timeout;
  private isStopping = false;

  constructor(private readonly feed: FeedRepository) {}

  /** Lets every request respond before the server closes. */
  onModuleDestroy(): void {
    this.isStopping = true;
    this.wake(() => true);
  }

  /**
   * Waits until there is a change after a position, the time is over, or the caller disconnects.
   *
   * @throws {ServiceUnavailableError} when too many requests are already waiting
   */
  async wait(
    accountId: number,
    position: number,
    milliseconds: number,
    disconnected: AbortSignal,
  ): Promise<void> {
    if (this.isStopping || disconnected.aborted) {
      return;
    }
    const ofAccount = [...this.waiters].filter((waiter) => waiter.accountId === accountId);
    if (this.waiters.size >= MAX_WAITERS || ofAccount.length >= MAX_WAITERS_PER_ACCOUNT) {
      throw new ServiceUnavailableError('Too many requests are waiting for changes. Try again in a moment.');
    }
    this.timer ??= setTimeout(() => void this.poll(), POLL_MS);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timeout);
        this.waiters.delete(waiter);
        resolve();
      };
      const waiter = { accountId, position, wake };
      const timeout = setTimeout(wake, milliseconds);
      disconnected.addEventListener('abort', wake);
      this.waiters.add(waiter);
    });
  }

  private async poll(): Promise<void> {
    const accountIds = [...new Set([...this.waiters].map(({ accountId }) => accountId))];
    try {
      const heads = await this.feed.readHeads(accountIds);
      this.wake(({ accountId, position }) => (heads.get(accountId) ?? 0) > position);
    } catch {
      // The reads at the end of each wait report the problem.
    }
    this.timer = this.waiters.size > 0 ? setTimeout(() => void this.poll(), POLL_MS) : undefined;
  }

  private wake(isDue: (waiter: Waiter) => boolean): void {
    for (const waiter of this.waiters) {
      if (isDue(waiter)) {
        waiter.wake();
      }
    }
  }
}
