import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { OpenRequest } from '../http/requests/open-requests.js';

const PREFIX = 'suppression_list';

/** The buckets cover durations up to the deadline of a request, 4.5 seconds. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counters of what sources add begin at zero, so that Prometheus can compare a surge with a day without such changes. */
const CAUSES = ['bounce', 'manual', 'unsubscribe', 'complaint'];

export interface CountedChange {
  action: string;
  /** Null for a change of a preference. */
  cause: string | null;
}

export interface CountedEvent {
  effect: string;
  outcome: string;
}

/**
 * The metrics that Prometheus reads. Labels are fixed words, route patterns, and ids of sources; never an address, a key, or
 * the name of an account.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: `${PREFIX}_http_request_duration_seconds`,
    help: 'Requests, from the first byte to the end of the response',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [this.registry],
  });

  private readonly verdicts = new Counter({
    name: `${PREFIX}_verdicts_total`,
    help: 'Verdicts on addresses that were checked',
    labelNames: ['verdict'],
    registers: [this.registry],
  });

  private readonly changes = new Counter({
    name: `${PREFIX}_changes_total`,
    help: 'Changes of the list and of preferences',
    labelNames: ['action', 'cause', 'actor_type'],
    registers: [this.registry],
  });

  private readonly events = new Counter({
    name: `${PREFIX}_events_total`,
    help: 'Delivery events, each counted once however often it was sent',
    labelNames: ['provider', 'effect', 'outcome'],
    registers: [this.registry],
  });

  private readonly lastEvents = new Gauge({
    name: `${PREFIX}_source_last_event_timestamp_seconds`,
    help: 'When this instance last received an event of a source',
    labelNames: ['source', 'provider'],
    aggregator: 'max',
    registers: [this.registry],
  });

  private readonly damagedLinks = new Counter({
    name: `${PREFIX}_damaged_unsubscribe_links_total`,
    help: 'Requests with an unsubscribe link that was damaged and repaired, or that no account made',
    labelNames: ['method', 'result'],
    registers: [this.registry],
  });

  private readonly requestsOf = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();

  constructor() {
    for (const cause of CAUSES) {
      this.changes.inc({ action: 'added', cause, actor_type: 'source' }, 0);
    }
  }

  /** @param route - the pattern; null where no route matched */
  observeRequest(method: string, route: string | null, status: number, seconds: number): void {
    const key = `${method} ${status} ${route}`;
    let observer = this.requestsOf.get(key);
    if (!observer) {
      observer = this.requests.labels(method, route ?? '(none)', String(status));
      this.requestsOf.set(key, observer);
    }
    observer.observe(seconds);
  }

  countVerdicts(verdicts: Iterable<string>): void {
    for (const [verdict, number] of tally(verdicts, (value) => value)) {
      this.verdicts.inc({ verdict }, number);
    }
  }

  countChanges(actorType: string, changes: Iterable<CountedChange>): void {
    for (const [key, number] of tally(changes, ({ action, cause }) => `${action} ${cause ?? 'none'}`)) {
      const [action, cause] = key.split(' ') as [string, string];
      this.changes.inc({ action, cause, actor_type: actorType }, number);
    }
  }

  /** @param result - `unknown` if no account created the link, or too little of it is left */
  countDamagedLink(method: string, result: 'repaired' | 'unknown'): void {
    this.damagedLinks.inc({ method, result });
  }

  countEvents(provider: string, source: string, events: Iterable<CountedEvent>): void {
    for (const [key, number] of tally(events, ({ effect, outcome }) => `${effect} ${outcome}`)) {
      const [effect, outcome] = key.split(' ') as [string, string];
      this.events.inc({ provider, effect, outcome }, number);
      this.lastEvents.setToCurrentTime({ source, provider });
    }
  }
}

function tally<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    numbers.set(key, (numbers.get(key) ?? 0) + 1);
  }
  return numbers;
}

/** Methods that the API does not use share a label, so that callers cannot invent labels. */
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** Nginx' status for a connection that its client closed before the response. */
const CLIENT_CLOSED_REQUEST = 499;

export function measureRequest(metrics: Metrics, { request, response, startedAt }: OpenRequest): void {
  const method = METHODS.has(request.method!) ? request.method! : 'OTHER';
  const route: string | null = (request as Request).route?.path ?? null;
  const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
  metrics.observeRequest(method, route, status, (performance.now() - startedAt) / 1_000);
}

/** A value for the metrics that is read from the database once per scrape. */
export class OncePerScrape<Value> {
  private reading?: Promise<void>;

  constructor(
    private last: Value,
    private readonly read: () => Promise<Value>,
  ) {}

  /** Returns the last value while the database is unavailable. */
  async get(): Promise<Value> {
    this.reading ??= this.readNow().finally(() => (this.reading = undefined));
    await this.reading;
    return this.last;
  }

  /**
   * Other metrics of the scrape are collected first, because they must not count this statement as waiting for a connection.
   */
  private async readNow(): Promise<void> {
    await setImmediate();
    try {
      this.last = await this.read();
    } catch {
      // The database is unavailable.
    }
  }
}
