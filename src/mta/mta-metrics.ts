import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Answer, FailureReason } from './verdict-source.js';

const PREFIX = 'suppression_list_mta';
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export class MtaMetrics {
  readonly registry = new Registry();

  private readonly questions = new Histogram({
    name: `${PREFIX}_question_duration_seconds`,
    help: 'Questions of mail servers, from their arrival to the answer',
    labelNames: ['protocol', 'answer'],
    buckets: DURATION_BUCKETS,
    registers: [this.registry],
  });

  private readonly failures = new Counter({
    name: `${PREFIX}_failures_total`,
    help: 'Questions whose verdict is unknown',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  private readonly connections = new Gauge({
    name: `${PREFIX}_connections`,
    help: 'Open connections of mail servers',
    labelNames: ['protocol'],
    registers: [this.registry],
  });

  private readonly malformed = new Counter({
    name: `${PREFIX}_malformed_requests_total`,
    help: 'Connections that were closed because a request was malformed or too long',
    labelNames: ['protocol'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param age - of the local copy, in seconds */
  observeReplica(age: () => number): void {
    const gauge: Gauge = new Gauge({
      name: `${PREFIX}_replica_age_seconds`,
      help: 'Seconds since the local copy was last known to match the service',
      collect: () => gauge.set(age()),
      registers: [],
    });
    this.registry.registerMetric(gauge);
  }

  observeQuestion(protocol: string, answer: Answer['verdict'], seconds: number): void {
    this.questions.observe({ protocol, answer }, seconds);
  }

  countFailure(reason: FailureReason): void {
    this.failures.inc({ reason });
  }

  countMalformed(protocol: string): void {
    this.malformed.inc({ protocol });
  }

  setConnections(protocol: string, connections: number): void {
    this.connections.set({ protocol }, connections);
  }
}
