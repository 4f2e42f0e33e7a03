import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { SpreadPool } from '../database/citus/spread-pool.js';
import { poolOf } from '../database/pool.js';
import {
  RateLimitExceededError,
  ServiceUnavailableError,
  TooManyOpenRequestsError,
} from '../http/errors/errors.js';
import { countOpen } from '../http/requests/open-of-accounts.js';
import { MAX_WAITING } from '../http/requests/open-requests.js';
import { RequestCounts, type KnownSender } from '../http/requests/senders.js';
import { requireFewUnread } from '../http/responses/unread-responses.js';
import { routeOptionsOf } from '../http/route.js';
import { secondsToReset } from '../http/server/failure-limit.js';

const WINDOW_SECONDS = 1;

/**
 * Limits the requests per second of each account in this instance. Requests of its API keys and of its console have separate
 * limits, so that a busy key does not block the console. It runs after the guards that identify the sender.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly limiter: RateLimiterMemory | undefined;

  /** @param limit - requests per second and account; undefined for no limit */
  constructor(limit: number | undefined) {
    this.limiter =
      limit === undefined ? undefined : new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { caller, visitor } = context.switchToHttp().getRequest<KnownSender>();
    const key = caller?.accountId ?? (visitor && `console ${visitor.accountId}`);
    return key === undefined || !this.limiter || admit(this.limiter, key, context);
  }
}

async function admit(
  limiter: RateLimiterMemory,
  key: number | string,
  context: ExecutionContext,
): Promise<boolean> {
  const state = await limiter.penalty(key);
  context
    .switchToHttp()
    .getResponse<Response>()
    .set({
      'ratelimit-limit': String(limiter.points),
      'ratelimit-remaining': String(state.remainingPoints),
      'ratelimit-reset': String(secondsToReset(state)),
    });
  if (state.consumedPoints > limiter.points) {
    throw new RateLimitExceededError(secondsToReset(state));
  }
  return true;
}

const TOO_MANY_WAITING = 'Too many requests are waiting. Try again in a moment.';

/** Half of the requests that may wait in an instance. The rest is for accounts on other nodes. */
const MAX_OPEN_ON_NODE = MAX_WAITING / 2;

/**
 * Limits how many requests of an account are open in this instance, and those to the same operation, if its route sets `maxOpen`.
 * With Citus, it also limits those of all accounts on a node, which may be slow. It refuses requests of a caller that does not
 * read the responses.
 */
@Injectable()
export class OpenRequestsGuard implements CanActivate {
  private readonly counts = new RequestCounts<string>();

  constructor(private readonly dataSource: DataSource) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request & KnownSender>();
    requireFewUnread(request);
    const { maxOpen, timeLimitMs } = routeOptionsOf(context);
    if (maxOpen !== Infinity && !this.counts.begin(operationOf(context, request), request, maxOpen)) {
      throw new TooManyOpenRequestsError(maxOpen);
    }
    const accountId = (request.caller ?? request.visitor ?? request.source)?.accountId;
    if (accountId !== undefined && timeLimitMs === REQUEST_TIME_LIMIT_MS) {
      if (!countOpen(accountId, request)) {
        throw new ServiceUnavailableError(TOO_MANY_WAITING);
      }
      const pool = poolOf(this.dataSource);
      if (pool instanceof SpreadPool) {
        limitOnNode(pool, accountId, request);
      }
    }
    return true;
  }
}

function limitOnNode({ topology, nodes }: SpreadPool, accountId: number, request: Request): void {
  const { node } = topology.bucketOf(accountId);
  if (!nodes.isUp(node)) {
    throw new ServiceUnavailableError();
  }
  if (!countOpen(`node ${node.groupId}`, request, MAX_OPEN_ON_NODE)) {
    throw new ServiceUnavailableError(TOO_MANY_WAITING);
  }
}

function operationOf(context: ExecutionContext, { caller, visitor }: KnownSender): string {
  return `${context.getClass().name}.${context.getHandler().name} ${(caller ?? visitor)?.accountId}`;
}
