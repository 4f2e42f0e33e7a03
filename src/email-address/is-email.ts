import type { ValidationOptions } from 'class-validator';
import { IsParsed } from '../validation/parse.decorator.js';

/**
 * `@IsEmail` by our own reading of an address, on a field that `@Parse(parseEmailAddress)` or `@ParseEach` has read.
 * class-validator's decorator of this name refuses real mailboxes under every choice of its options
 * (`user.@docomo.ne.jp`, an IPv6 literal, an emoji) and lets a zero-width space pass, which makes a second, invisible
 * address of the first.
 */
export function IsEmail(options?: ValidationOptions): PropertyDecorator {
  return IsParsed('isEmail', 'must be an email address', options);
}
