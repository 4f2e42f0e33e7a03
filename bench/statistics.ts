import type { Measurement } from './load/job.js';
import type { Comparison, Part } from './parts.js';

/** A measurement, and the processor time that the contender's process used meanwhile. */
export interface Round extends Measurement {
  cpuSeconds?: number;
}

/** What the rounds of one contender come to: medians, and the rate of every round. */
export interface ContenderResult {
  name: string;
  rate: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the contender's own process, so without PostgreSQL. */
  cpuMicrosPerRequest?: number;
  rates: number[];
}

/** The ratio is the median of the rounds' ratios: what is measured next to each other is compared with each other. */
export interface ComparisonResult extends Comparison {
  ratio: number;
  lowest: number;
  highest: number;
  holds: boolean;
}

export interface PartResult {
  part: Part;
  contenders: ContenderResult[];
  comparisons: ComparisonResult[];
}

/** @param rounds - for each contender by name, one measurement per round */
export function summarize(part: Part, rounds: Map<string, Round[]>): PartResult {
  const contenders = part.contenders.map(({ name, perRequest = part.perRequest }): ContenderResult => {
    const measurements = rounds.get(name)!;
    const rates = measurements.map(({ requests, seconds }) => (requests * perRequest) / seconds);
    return {
      name,
      rate: median(rates),
      p50Ms: median(measurements.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(measurements.map(({ p99Ms }) => p99Ms)),
      cpuMicrosPerRequest: cpuMicros(measurements),
      rates,
    };
  });
  return {
    part,
    contenders,
    comparisons: part.comparisons.map((comparison) => compare(comparison, contenders)),
  };
}

function cpuMicros(rounds: Round[]): number | undefined {
  const micros = rounds.flatMap(({ cpuSeconds, requests }) =>
    cpuSeconds === undefined ? [] : [(cpuSeconds * 1e6) / requests],
  );
  return micros.length > 0 ? median(micros) : undefined;
}

function compare(comparison: Comparison, contenders: ContenderResult[]): ComparisonResult {
  const ratesOf = (wanted: string) => contenders.find(({ name }) => name === wanted)!.rates;
  const peers = ratesOf(comparison.to);
  const ratios = ratesOf(comparison.of).map((rate, round) => rate / peers[round]!);
  const ratio = median(ratios);
  return {
    ...comparison,
    ratio,
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    holds: ratio >= (comparison.atLeast ?? 0) && ratio <= (comparison.atMost ?? Infinity),
  };
}

export function median(values: number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
