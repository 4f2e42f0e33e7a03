import type { ValidationOptions } from 'class-validator';
import { IsParsed } from '../validation/field.decorators.js';

/**
 * For fields that `@Parse(parseEmailAddress)` or `@ParseEach` parsed. With any options, class-validator's `@IsEmail` refuses
 * real mailboxes (`user.@docomo.ne.jp`, an IPv6 literal, an emoji) and accepts a zero-width space, which makes a second,
 * invisible address.
 */
export function IsEmail(options?: ValidationOptions): PropertyDecorator {
  return IsParsed('isEmail', options?.each ? 'must be an email address' : 'must be given', options);
}
