import type { Workload } from './load/job.js';

/** The program that executes a workload: the service, a peer in its own process, or `pg` in the load process. */
export type RunnerName =
  | 'service'
  | 'service-10x'
  | 'service-metrics'
  | 'service-traced'
  | 'service-2-workers'
  | 'replica'
  | 'express'
  | 'bare-http'
  | 'pg';

export interface Contender {
  /** Unique in its part. */
  name: string;
  runner: RunnerName;
  workload: Workload;
  /** The units in a request, if different from other contenders of the part. */
  perRequest?: number;
}

/** The rate of one contender, divided by the rate of another. */
export interface Comparison {
  title: string;
  of: Contender;
  to: Contender;
  /** Without limits, the ratio is only reported. */
  atLeast: number | undefined;
  atMost: number | undefined;
}

interface Shape {
  connections: number;
  unit: 'req' | 'addr' | 'events';
  /** Units in a request. */
  perRequest: number;
  onlyOnRequest?: boolean;
  /** Whether the account has a topic and rules while the part is measured. */
  hasTopicAndRules?: boolean;
}

/** A part that measures rates. */
export interface Part extends Shape {
  name: string;
  comparisons: Comparison[];
}

const LOOKUPS: Shape = { connections: 32, unit: 'req', perRequest: 1 };
const LOOKUPS_ON_REQUEST: Shape = { ...LOOKUPS, onlyOnRequest: true };
const REQUESTS: Shape = { connections: 8, unit: 'req', perRequest: 1 };
const BATCHES: Shape = { connections: 8, unit: 'addr', perRequest: 100 };

function part(name: string, shape: Shape, ...comparisons: Comparison[]): Part {
  return { name, ...shape, comparisons };
}

function compare(title: string, of: Contender, to: Contender, atLeast?: number, atMost?: number): Comparison {
  return { title, of, to, atLeast, atMost };
}

function by(runner: RunnerName, workload: Workload, name: string, perRequest?: number): Contender {
  return { runner, workload, name, ...(perRequest && { perRequest }) };
}

const service = (workload: Workload, name = 'service') => by('service', workload, name);
const pg = (workload: Workload, name = 'pg alone') => by('pg', workload, name);
const express = (workload: Workload) => by('express', workload, 'Express 5 + pg');

const LOOKUP = service('get-by-address');
const BARE_HTTP = by('bare-http', 'get-by-address', 'node:http + pg');
const REPLICA = by('replica', 'check', 'replica');
const PAGE_1 = service('first-page', 'page 1');
const PAGE_1000 = service('deep-page', 'page 1,000');
const DELIVERIES = service('deliver-batches', 'batches');
const COUNTED = service('deliver-counted-batches', 'batches, soft limit');
const SINGLE = by('service', 'deliver-singles', 'single events', 1);
const COUNTED_SINGLE = by('service', 'deliver-counted-singles', 'single events, soft limit', 1);
const PG_SINGLE = by('pg', 'deliver-singles', 'pg alone, single events', 1);
const TENFOLD = by('service-10x', 'get-by-address', 'ten times the records');
const WORKERS = by('service-2-workers', 'get-by-address', 'two workers');
const MEASURED = by('service-metrics', 'get-by-address', 'with metrics');
const TRACED = by('service-traced', 'get-by-address', 'with 1 of 10 traced');

/** Reads come before writes, so that all contenders that read find the same records. */
export const PARTS: Part[] = [
  part(
    'get-by-address',
    LOOKUPS,
    compare('get by address', LOOKUP, express('get-by-address'), 2),
    compare('get by address', LOOKUP, BARE_HTTP, 1),
  ),
  part('get-by-id', LOOKUPS, compare('get by id', service('get-by-id'), express('get-by-id'), 2)),
  part('check', REQUESTS, compare('check of 1,000', service('check'), pg('check'), 0.7)),
  part(
    'check-topic',
    { ...REQUESTS, hasTopicAndRules: true },
    compare('check with a topic and 1,000 rules', service('check-topic'), pg('check-topic'), 0.6),
  ),
  part(
    'replica',
    { ...REQUESTS, connections: 1 },
    compare('check of 1,000, one connection', REPLICA, service('check'), 5),
  ),
  part(
    'list',
    REQUESTS,
    compare('list, page 1', PAGE_1, pg('first-page', 'pg alone, page 1'), 0.7),
    compare('list, page 1,000', PAGE_1000, pg('deep-page', 'pg alone, page 1,000'), 0.7),
    compare('list, page 1,000', PAGE_1000, PAGE_1, 0.8, 1.25),
  ),
  part('feed', REQUESTS, compare('feed, 1,000 changes', service('feed-page'), pg('feed-page'), 0.6)),
  part(
    'add-present',
    BATCHES,
    compare('batch add, 100 present', service('add-present'), pg('add-present'), 0.8),
  ),
  part('add-new', BATCHES, compare('batch add, 100 new', service('add-new'), pg('add-new'), 0.8)),
  part(
    'inbound',
    { ...BATCHES, unit: 'events' },
    compare('inbound, batches of 100', DELIVERIES, pg('deliver-batches', 'pg alone, batches'), 0.1),
    compare('inbound, batches of 100', COUNTED, DELIVERIES, 0.2),
    compare('inbound, single events', SINGLE, PG_SINGLE, 0.2),
    compare('inbound, single events', COUNTED_SINGLE, SINGLE, 0.5),
  ),
  part('ten-times', LOOKUPS_ON_REQUEST, compare('get by address', TENFOLD, LOOKUP, 0.8)),
  part('workers', LOOKUPS_ON_REQUEST, compare('get by address', WORKERS, LOOKUP)),
  part(
    'observed',
    LOOKUPS_ON_REQUEST,
    compare('get by address', MEASURED, LOOKUP, 0.95),
    compare('get by address', TRACED, LOOKUP, 0.9),
  ),
];

/** The contenders of a part, each once, in the order in which they are measured. */
export function contendersOf({ comparisons }: Part): Contender[] {
  const byName = new Map(comparisons.flatMap(({ of, to }) => [of, to]).map((one) => [one.name, one]));
  return [...byName.values()];
}
