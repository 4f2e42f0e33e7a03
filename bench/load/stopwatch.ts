import type { Measurement } from './job.js';

/** Takes the time of each request, without making garbage on the way. */
export class Stopwatch {
  private readonly startMs = performance.now();
  private readonly latencies: Float64Array;
  private count = 0;

  constructor(private readonly capacity: number) {
    this.latencies = new Float64Array(capacity);
  }

  get isFull(): boolean {
    return this.count >= this.capacity - 100;
  }

  note(startedMs: number): void {
    this.latencies[this.count++] = performance.now() - startedMs;
  }

  read(): Measurement {
    const seconds = (performance.now() - this.startMs) / 1000;
    const sorted = this.latencies.subarray(0, this.count).toSorted();
    const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? NaN;
    return { requests: this.count, seconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
  }
}
