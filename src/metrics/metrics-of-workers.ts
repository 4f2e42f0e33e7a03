import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import {
  AggregatorRegistry,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';

type Series = MetricObjectWithValues<MetricValue<string>>[];

const QUESTION = 'metrics';
/** Shorter than Prometheus waits by default. */
const ANSWER_MS = 5_000;

/** The other process may end before it gets a message. */
const ignore = () => undefined;

/**
 * Sends the metrics of this worker to the primary process: now, so that it knows that it may ask, and whenever it asks.
 *
 * @returns a function that sends the counts a last time; the sources of gauges may be closed
 */
export function reportMetrics(registry: Registry): () => Promise<void> {
  const report = async () => {
    const metrics = await registry.getMetricsAsJSON();
    await new Promise((sent) => process.send!({ metrics }, undefined, undefined, sent));
  };
  process.on('message', (message) => {
    if (message === QUESTION) {
      report().catch(ignore);
    }
  });
  report().catch(ignore);
  return () => {
    const gauges = registry.getMetricsAsArray().filter((metric) => metric instanceof Gauge);
    gauges.forEach(({ name }) => registry.removeSingleMetric(name));
    return report();
  };
}

/**
 * Adds up the metrics of all workers. One that does not respond counts with what it sent last. The counts of one that has ended
 * remain in the sums, because Prometheus takes a counter that falls for one that began again at zero. Created before they start.
 */
export class MetricsOfWorkers {
  private readonly latest = new Map<number, Series>();
  private ended: Promise<Series> = Promise.resolve([]);

  constructor() {
    cluster.on('message', ({ id }, { metrics }: { metrics: Series }) => this.latest.set(id, metrics));
    // The last message may arrive after the exit.
    cluster.on('disconnect', ({ id }) => this.keepCounts(id));
  }

  async read(): Promise<string> {
    const workers = Object.values(cluster.workers!) as Worker[];
    // A worker that starts cannot answer yet.
    await Promise.all(workers.filter(({ id }) => this.latest.has(id)).map(ask));
    return sumOf([await this.ended, ...this.latest.values()]).metrics();
  }

  private keepCounts(id: number): void {
    const counts = (this.latest.get(id) ?? []).filter(({ type }) => String(type) !== 'gauge');
    this.latest.delete(id);
    this.ended = this.ended.then((ended) => sumOf([ended, counts]).getMetricsAsJSON());
  }
}

async function ask(worker: Worker): Promise<void> {
  worker.send(QUESTION, ignore);
  await once(worker, 'message', { signal: AbortSignal.timeout(ANSWER_MS) }).catch(ignore);
}

function sumOf(all: Series[]): Registry {
  return AggregatorRegistry.aggregate(all);
}
