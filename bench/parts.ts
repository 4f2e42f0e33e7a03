import type { Workload } from './load/job.js';

/** What answers a workload: the service, a peer of its own process, or `pg` alone in the load process. */
export type Runner =
  | 'service'
  | 'service-10x'
  | 'service-20-accounts'
  | 'service-metrics'
  | 'service-traced'
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
  atLeast: number;
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
  {
    name: 'get-by-id',
    connections: 32,
    unit: 'requests',
    perRequest: 1,
    contenders: [
      { name: 'service', runner: 'service', workload: 'get-by-id' },
      { name: 'Express 5 + pg', runner: 'express', workload: 'get-by-id' },
    ],
    comparisons: [{ title: 'get by id', of: 'service', to: 'Express 5 + pg', atLeast: 2 }],
  },
  {
    name: 'check',
    connections: 8,
    unit: 'requests',
    perRequest: 1,
    contenders: [
      { name: 'service', runner: 'service', workload: 'check' },
      { name: 'pg alone', runner: 'pg', workload: 'check' },
    ],
    comparisons: [{ title: 'check of 1,000', of: 'service', to: 'pg alone', atLeast: 0.7 }],
  },
  {
    name: 'check-topic',
    connections: 8,
    unit: 'requests',
    perRequest: 1,
    hasTopicAndRules: true,
    contenders: [
      { name: 'service', runner: 'service', workload: 'check-topic' },
      { name: 'pg alone', runner: 'pg', workload: 'check-topic' },
    ],
    comparisons: [
      { title: 'check with a topic and 1,000 rules', of: 'service', to: 'pg alone', atLeast: 0.6 },
    ],
  },
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
  {
    name: 'feed',
    connections: 8,
    unit: 'requests',
    perRequest: 1,
    contenders: [
      { name: 'service', runner: 'service', workload: 'feed-page' },
      { name: 'pg alone', runner: 'pg', workload: 'feed-page' },
    ],
    comparisons: [{ title: 'feed, 1,000 changes', of: 'service', to: 'pg alone', atLeast: 0.6 }],
  },
  {
    name: 'add-present',
    connections: 8,
    unit: 'addresses',
    perRequest: BATCH,
    contenders: [
      { name: 'service', runner: 'service', workload: 'add-present' },
      { name: 'pg alone', runner: 'pg', workload: 'add-present' },
    ],
    comparisons: [{ title: 'batch add, 100 present', of: 'service', to: 'pg alone', atLeast: 0.8 }],
  },
  {
    name: 'add-new',
    connections: 8,
    unit: 'addresses',
    perRequest: BATCH,
    contenders: [
      { name: 'service', runner: 'service', workload: 'add-new' },
      { name: 'pg alone', runner: 'pg', workload: 'add-new' },
    ],
    comparisons: [{ title: 'batch add, 100 new', of: 'service', to: 'pg alone', atLeast: 0.8 }],
  },
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
  {
    name: 'ten-times',
    connections: 32,
    unit: 'requests',
    perRequest: 1,
    contenders: [
      { name: 'ten times the records', runner: 'service-10x', workload: 'get-by-address' },
      { name: 'the records', runner: 'service', workload: 'get-by-address' },
    ],
    comparisons: [
      { title: 'get by address, 10x records', of: 'ten times the records', to: 'the records', atLeast: 0.8 },
    ],
    onlyWhenAsked: true,
  },
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
  {
    name: 'accounts-add',
    connections: 8,
    unit: 'addresses',
    perRequest: BATCH,
    contenders: [
      { name: 'twenty accounts', runner: 'service-20-accounts', workload: 'add-new' },
      { name: 'one account', runner: 'service', workload: 'add-new' },
    ],
    comparisons: [
      { title: 'batch add, 20 accounts', of: 'twenty accounts', to: 'one account', atLeast: 0.8 },
    ],
    onlyWhenAsked: true,
  },
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
