import { enumOf } from '../../validation/enum-of.js';
import { Invalid } from '../../validation/invalid.js';
import { isName } from '../../validation/name.js';
import { SUBSCRIPTION_MEANINGS, VISIBILITY_MEANINGS } from '../topic.entity.js';

export const MAX_NAME_LENGTH = 50;
export const MAX_DESCRIPTION_LENGTH = 200;

export const NAME = {
  type: String,
  description: 'The name that recipients see.',
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  example: 'News',
};

export const DESCRIPTION = {
  type: String,
  description: 'A description for recipients.',
  maxLength: MAX_DESCRIPTION_LENGTH,
  nullable: true,
  example: 'What is new, once a month',
};

export const VISIBILITY = {
  ...enumOf('', VISIBILITY_MEANINGS),
  example: 'public' as const,
};

export const DEFAULT_SUBSCRIPTION = {
  ...enumOf(
    'The subscription of addresses without a choice. It cannot be changed later.',
    SUBSCRIPTION_MEANINGS,
  ),
  example: 'opt_in' as const,
};

export function parseName(input: unknown): string | Invalid {
  return typeof input === 'string' && isName(input) && [...input].length <= MAX_NAME_LENGTH
    ? input
    : new Invalid(`must have 1 to ${MAX_NAME_LENGTH} characters, without control characters or line breaks`);
}
