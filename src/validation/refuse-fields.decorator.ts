import { Reflector } from '@nestjs/core';

/** Fields that a DTO does not have, each with the end of a sentence that says what to do instead. */
export type RefusedFields = Readonly<Record<string, string>>;

/**
 * Marks a DTO that refuses these unknown fields with messages of their own. A body ignores other unknown fields, so these are the
 * ones whose loss would change what the request means; a query refuses the others, too.
 */
export const RefuseFields = Reflector.createDecorator<RefusedFields>();
