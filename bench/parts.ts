import type { Workload } from './load/job.js';

/** What answers a workload: the service, a peer of its own process, or `pg` alone in the load process. */
export type Runner =
  | 'service'
  | 'service-10x'
  | 'service-20-accounts'
  | 'service-metrics'
  | 'service-traced'
  | 'service-2-workers'
  | 'replica'
  | 'express'
  | 'bare-http'
  | 'pg';

export interface Contender {
  name: string;
  runner: Runner;
  workload: Workload;
  /** Where it differs from that of the part. */
  perRequest?: number;
}

/** The rate of one contender over the rate of another, and where it has to lie. */
export interface Comparison {
  title: string;
  of: string;
  to: string;
  /** Absent where the ratio is recorded only. */
  atLeast?: number | undefined;
  atMost?: number;
}

export interface Part {
  name: string;
  connections: number;
  /** What the rate counts, and how many of them a request has. */
  unit: 'requests' | 'addresses' | 'events';
  perRequest: number;
  contenders: Contender[];
  comparisons: Comparison[];
  onlyWhenAsked?: boolean;
  /** Whether the account has a topic and rules while the part is measured. */
  hasTopicAndRules?: boolean;
}

/** Two contenders with the same workload. */
interface Pair extends Omit<Part, 'contenders' | 'comparisons'>, Omit<Comparison, 'of' | 'to'> {
  workload: Workload;
  of: Omit<Contender, 'workload'>;
  to: Omit<Contender, 'workload'>;
}

function pair({ title, workload, of, to, atLeast, ...part }: Pair): Part {
  return {
    ...part,
    contenders: [
      { ...of, workload },
      { ...to, workload },
    ],
    comparisons: [{ title, of: of.name, to: to.name, atLeast }],
  };
}

const SERVICE = { name: 'service', runner: 'service' } as const;
const EXPRESS = { name: 'Express 5 + pg', runner: 'express' } as const;
const PG = { name: 'pg alone', runner: 'pg' } as const;
const BATCH = 100;

/** The names of the parts that measure no rates. */
export const EVENT_LOOP = 'event-loop';
export const WEBHOOKS = 'webhooks';

/** Reads come before writes, so that every reading contender finds the same records. */
export const PARTS: Part[] = [
  {
    name: 'get-by-address',
    connections: 32,
    unit: 'requests',
    perRequest: 1,
    contenders: [
      { name: 'service', runner: 'service', workload: 'get-by-address' },
      { name: 'Express 5 + pg', runner: 'express', workload: 'get-by-address' },
      { name: 'node:http + pg', runner: 'bare-http', workload: 'get-by-address' },
    ],
    comparisons: [
      { title: 'get by address', of: 'service', to: 'Express 5 + pg', atLeast: 2 },
      { title: 'get by address', of: 'service', to: 'node:http + pg', atLeast: 1 },
    ],
  },
  pair({
    name: 'get-by-id',
    title: 'get by id',
    workload: 'get-by-id',
    connections: 32,
    unit: 'requests',
    perRequest: 1,
    of: SERVICE,
    to: EXPRESS,
    atLeast: 2,
  }),
  pair({
    name: 'check',
    title: 'check of 1,000',
    workload: 'check',
    connections: 8,
    unit: 'requests',
    perRequest: 1,
    of: SERVICE,
    to: PG,
    atLeast: 0.7,
  }),
  pair({
    name: 'check-topic',
    title: 'check with a topic and 1,000 rules',
    workload: 'check-topic',
    connections: 8,
    unit: 'requests',
    perRequest: 1,
    hasTopicAndRules: true,
    of: SERVICE,
    to: PG,
    atLeast: 0.6,
  }),
  pair({
    name: 'replica',
    title: 'check of 1,000, replica',
    workload: 'check',
    connections: 1,
    unit: 'requests',
    perRequest: 1,
    of: { name: 'replica', runner: 'replica' },
    to: { name: 'service, one connection', runner: 'service' },
    atLeast: 5,
  }),
  {
    name: 'list',
    connections: 8,
    unit: 'requests',
    perRequest: 1,
    contenders: [
      { name: 'page 1', runner: 'service', workload: 'first-page' },
      { name: 'pg alone, page 1', runner: 'pg', workload: 'first-page' },
      { name: 'page 1,000', runner: 'service', workload: 'deep-page' },
      { name: 'pg alone, page 1,000', runner: 'pg', workload: 'deep-page' },
    ],
    comparisons: [
      { title: 'list, page 1', of: 'page 1', to: 'pg alone, page 1', atLeast: 0.7 },
      { title: 'list, page 1,000', of: 'page 1,000', to: 'pg alone, page 1,000', atLeast: 0.7 },
      { title: 'list, page 1,000', of: 'page 1,000', to: 'page 1', atLeast: 0.8, atMost: 1.25 },
    ],
  },
  pair({
    name: 'feed',
    title: 'feed, 1,000 changes',
    workload: 'feed-page',
    connections: 8,
    unit: 'requests',
    perRequest: 1,
    of: SERVICE,
    to: PG,
    atLeast: 0.6,
  }),
  pair({
    name: 'add-present',
    title: 'batch add, 100 present',
    workload: 'add-present',
    connections: 8,
    unit: 'addresses',
    perRequest: BATCH,
    of: SERVICE,
    to: PG,
    atLeast: 0.8,
  }),
  pair({
    name: 'add-new',
    title: 'batch add, 100 new',
    workload: 'add-new',
    connections: 8,
    unit: 'addresses',
    perRequest: BATCH,
    of: SERVICE,
    to: PG,
    atLeast: 0.8,
  }),
  {
    name: 'inbound',
    connections: 8,
    unit: 'events',
    perRequest: BATCH,
    contenders: [
      { name: 'batches', runner: 'service', workload: 'deliver-batches' },
      { name: 'batches, soft limit', runner: 'service', workload: 'deliver-counted-batches' },
      { name: 'pg alone, batches', runner: 'pg', workload: 'deliver-batches' },
      { name: 'single events', runner: 'service', workload: 'deliver-singles', perRequest: 1 },
      {
        name: 'single events, soft limit',
        runner: 'service',
        workload: 'deliver-counted-singles',
        perRequest: 1,
      },
      { name: 'pg alone, single events', runner: 'pg', workload: 'deliver-singles', perRequest: 1 },
    ],
    comparisons: [
      { title: 'inbound, batches of 100', of: 'batches', to: 'pg alone, batches', atLeast: 0.1 },
      { title: 'inbound, batches of 100', of: 'batches, soft limit', to: 'batches', atLeast: 0.2 },
      { title: 'inbound, single events', of: 'single events', to: 'pg alone, single events', atLeast: 0.05 },
      { title: 'inbound, single events', of: 'single events, soft limit', to: 'single events', atLeast: 0.5 },
    ],
  },
  pair({
    name: 'ten-times',
    title: 'get by address, 10x records',
    workload: 'get-by-address',
    connections: 32,
    unit: 'requests',
    perRequest: 1,
    of: { name: 'ten times the records', runner: 'service-10x' },
    to: { name: 'the records', runner: 'service' },
    atLeast: 0.8,
    onlyWhenAsked: true,
  }),
  {
    name: 'accounts',
    connections: 32,
    unit: 'requests',
    perRequest: 1,
    contenders: [
      { name: 'twenty accounts', runner: 'service-20-accounts', workload: 'get-by-address' },
      { name: 'one account', runner: 'service', workload: 'get-by-address' },
      { name: 'twenty accounts, page 1', runner: 'service-20-accounts', workload: 'first-page' },
      { name: 'one account, page 1', runner: 'service', workload: 'first-page' },
    ],
    comparisons: [
      { title: 'get by address, 20 accounts', of: 'twenty accounts', to: 'one account', atLeast: 0.8 },
      { title: 'list, 20 accounts', of: 'twenty accounts, page 1', to: 'one account, page 1', atLeast: 0.8 },
    ],
    onlyWhenAsked: true,
  },
  pair({
    name: 'accounts-add',
    title: 'batch add, 20 accounts',
    workload: 'add-new',
    connections: 8,
    unit: 'addresses',
    perRequest: BATCH,
    of: { name: 'twenty accounts', runner: 'service-20-accounts' },
    to: { name: 'one account', runner: 'service' },
    atLeast: 0.8,
    onlyWhenAsked: true,
  }),
  pair({
    name: 'workers',
    title: 'get by address, workers',
    workload: 'get-by-address',
    connections: 32,
    unit: 'requests',
    perRequest: 1,
    of: { name: 'two workers', runner: 'service-2-workers' },
    to: { name: 'one worker', runner: 'service' },
    onlyWhenAsked: true,
  }),
  {
    name: 'observed',
    connections: 32,
    unit: 'requests',
    perRequest: 1,
    contenders: [
      { name: 'service', runner: 'service', workload: 'get-by-address' },
      { name: 'with metrics', runner: 'service-metrics', workload: 'get-by-address' },
      { name: 'with 1 of 10 traced', runner: 'service-traced', workload: 'get-by-address' },
    ],
    comparisons: [
      { title: 'get by address, metrics', of: 'with metrics', to: 'service', atLeast: 0.95 },
      { title: 'get by address, 1 of 10 traced', of: 'with 1 of 10 traced', to: 'service', atLeast: 0.9 },
    ],
    onlyWhenAsked: true,
  },
];
