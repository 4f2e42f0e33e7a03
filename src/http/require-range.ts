import type { Timestamp } from '../validation/parsers.js';
import { ValidationError } from './errors/errors.js';

export const EMPTY_RANGE = 'must be later than created_after';

interface Range {
  created_after?: Timestamp | null | undefined;
  created_before?: Timestamp | null | undefined;
}

/** @throws {ValidationError} if no time is in the range */
export function requireRange({ created_after: after, created_before: before }: Range): void {
  if (after && before && after.floor + 1 >= before.ceil) {
    throw ValidationError.ofField('created_before', EMPTY_RANGE);
  }
}
