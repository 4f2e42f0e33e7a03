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

export function lost(error: unknown): unknown {
  return isMarkedLost(error) || isWithoutReply(error) ? markLost(error) : error;
}

export function rethrowLost(error: unknown): never {
  throw lost(error);
}
