import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import {
  AggregatorRegistry,
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

/** Sends the metrics of this worker to the primary process: now, so that it knows that it may ask, and whenever it asks. */
export function reportMetrics(registry: Registry): void {
  const report = async () => {
    const metrics = await registry.getMetricsAsJSON();
    process.send!({ metrics }, undefined, undefined, ignore);
  };
  process.on('message', (message) => {
    if (message === QUESTION) {
      report().catch(ignore);
    }
  });
  report().catch(ignore);
}

/**
 * Adds up the metrics of all workers. One that does not respond counts with what it sent last. The counts of one that has ended
 * remain in the sums, because Prometheus takes a counter that falls for one that began again at zero. Created before they start.
 */
export class MetricsOfWorkers {
  private readonly latest = new Map<number, Series>();
  private ended: Promise<Series> = Promise.resolve([]);

  constructor() {
    cluster.on('message', (worker, { metrics }: { metrics: Series }) => {
      if (!worker.isDead()) {
        this.latest.set(worker.id, metrics);
      }
    });
    cluster.on('exit', ({ id }) => this.keepCounts(id));
  }

  async read(): Promise<string> {
    const workers = Object.values(cluster.workers!) as Worker[];
    await Promise.all(workers.filter((worker) => this.canAnswer(worker)).map(ask));
    return sumOf([await this.ended, ...this.latest.values()]).metrics();
  }

  /** A worker cannot answer while it starts, nor once it has been replaced, while it finishes its requests. */
  private canAnswer(worker: Worker): boolean {
    return this.latest.has(worker.id) && worker.isConnected();
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
