import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { DataSource } from 'typeorm';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { SpreadPool } from '../database/citus/spread-pool.js';
import { poolOf } from '../database/prepared-statement.js';
import { ServiceUnavailableError, TooManyOpenRequestsError } from '../http/errors/errors.js';
import type { IdentifiedRequest } from '../http/requests/identified-request.js';
import { MAX_WAITING } from '../http/requests/overload.js';
import { RequestCounts } from '../http/requests/request-counts.js';
import { routeOptionsOf } from '../http/route-options.js';

/** Half of the requests that an instance lets wait; the rest is for the accounts on other nodes. */
const MAX_OPEN_ON_NODE = MAX_WAITING / 2;

/** Guards of several modules count together. */
const onNodes = new RequestCounts<number>();

/**
 * Limits how many requests of an account to the same operation are open in this instance, if its route sets `maxOpen`. With
 * Citus, also those of all accounts on a node, which may be slow.
 */
@Injectable()
export class OpenRequestsGuard implements CanActivate {
  private readonly counts = new RequestCounts<string>();

  constructor(private readonly dataSource: DataSource) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request & IdentifiedRequest>();
    const { maxOpen, timeLimitMs } = routeOptionsOf(context);
    if (maxOpen !== Infinity && !this.counts.begin(senderOf(context, request), request, maxOpen)) {
      throw new TooManyOpenRequestsError(maxOpen);
    }
    const pool = poolOf(this.dataSource);
    if (pool instanceof SpreadPool && timeLimitMs === REQUEST_TIME_LIMIT_MS) {
      limitOnNode(pool, request);
    }
    return true;
  }
}

function limitOnNode({ topology, nodes }: SpreadPool, request: Request & IdentifiedRequest): void {
  const accountId = (request.caller ?? request.visitor ?? request.source)?.accountId;
  if (accountId === undefined) {
    return;
  }
  const { node } = topology.bucketOf(accountId);
  if (!nodes.isUp(node)) {
    throw new ServiceUnavailableError();
  }
  if (!onNodes.begin(node.groupId, request, MAX_OPEN_ON_NODE)) {
    throw new ServiceUnavailableError('Too many requests are waiting. Try again in a moment.');
  }
}

function senderOf(context: ExecutionContext, { caller, visitor }: IdentifiedRequest): string {
  return `${context.getClass().name}.${context.getHandler().name} ${(caller ?? visitor)?.accountId}`;
}
