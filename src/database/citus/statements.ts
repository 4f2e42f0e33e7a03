import { isMarkedLost, isWithoutReply, markLost } from '../unavailable.js';
import type { Bucket } from './topology.js';

export interface Statement {
  name?: string;
  text: string;
  values?: unknown[];
}

export function toStatement(statement: string | Statement, values?: unknown[]): Statement {
  return typeof statement === 'string' ? { text: statement, ...(values && { values }) } : statement;
}

/** The statement for the shards of a bucket. Each bucket has a name of its own for it. */
export function inBucket({ name, text, values }: Statement, { index, names }: Bucket): Statement {
  return {
    ...(name !== undefined && { name: `${name}/${index}` }),
    text: names.insertInto(text),
    ...(values && { values }),
  };
}

const together = new Map<string, { id: number; text: string }>();

/** The statement for the shards of several buckets, whose rows have the index of their bucket. */
export function inBuckets({ name = '', text, values }: Statement, buckets: readonly Bucket[]): Statement {
  const key = `${text} ${buckets.map(({ shardId }) => shardId).join()}`;
  let known = together.get(key);
  if (!known) {
    const parts = buckets.map(({ index, names }) => `in_${index} AS (${names.insertInto(text)})`);
    const selects = buckets.map(({ index }) => `SELECT ${index} AS bucket, in_${index}.* FROM in_${index}`);
    known = { id: together.size, text: `WITH ${parts.join(',\n')}\n${selects.join(' UNION ALL ')}` };
    together.set(key, known);
  }
  return {
    ...(name !== '' && { name: `${name}/all${known.id}` }),
    text: known.text,
    ...(values && { values }),
  };
}

export function lost(error: unknown): unknown {
  return isMarkedLost(error) || isWithoutReply(error) ? markLost(error) : error;
}

export function rethrowLost(error: unknown): never {
  throw lost(error);
}
