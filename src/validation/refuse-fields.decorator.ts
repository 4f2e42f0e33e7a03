import { Reflector } from '@nestjs/core';

/** Fields that a DTO does not have, each with the end of a sentence that says what to do instead. */
export type RefusedFields = Readonly<Record<string, string>>;

/** Marks a DTO that ignores unknown fields, except these, whose loss would change what the request means. */
export const RefuseFields = Reflector.createDecorator<RefusedFields>();
