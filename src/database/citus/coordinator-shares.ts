import { setTimeout as delay } from 'node:timers/promises';
import { FairLimiter } from '../../process/fair-limiter.js';
import { markLost } from '../unavailable.js';
import type { Node } from './topology.js';

/** Less than a request may take. */
const WAIT_LIMIT_MS = 3_500;

/**
 * Limits how many connections to the coordinator wait for one node: half of them, so that a slow node leaves the others to the
 * accounts on other nodes.
 */
export class CoordinatorShares {
  private readonly limiters = new Map<number, FairLimiter>();
  private readonly perNode: number;

  constructor(connections: number) {
    this.perNode = Math.ceil(connections / 2);
  }

  /**
   * Waits until a connection may be taken for a node.
   *
   * @returns ends its use
   * @throws {Error} marked as that of a lost connection after 3.5 seconds
   */
  async take({ groupId }: Node): Promise<() => void> {
    const limiter = this.limiters.get(groupId) ?? new FairLimiter(this.perNode);
    this.limiters.set(groupId, limiter);
    let hasGivenUp = false;
    const taken = new Promise<() => void>((begin) => {
      void limiter.run(() => new Promise<void>((end) => (hasGivenUp ? end() : begin(end))));
    });
    const waiting = new AbortController();
    const limit = delay(WAIT_LIMIT_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    const end = await Promise.race([taken, limit]);
    waiting.abort();
    if (!end) {
      hasGivenUp = true;
      throw markLost(new Error('the connections to the coordinator wait for a slow node'));
    }
    return end;
  }
}
