import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationOptions } from 'class-validator';
import { InvalidEmailAddress, parseEmailAddress } from './email-address.js';

/**
 * `@IsEmail` by our own reading of an address, on a property that {@link ParseEmailAddresses} has read. class-validator's
 * decorator of this name refuses real mailboxes under every choice of its options (`user.@docomo.ne.jp`, an IPv6
 * literal, an emoji) and lets a zero-width space pass, which makes a second, invisible address of the first.
 */
export function IsEmail(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isEmail',
      validator: {
        validate: (value) => value !== undefined && !(value instanceof InvalidEmailAddress),
        defaultMessage: () => 'must be an email address',
      },
    },
    options,
  );
}

/**
 * Reads each element of an array once, at the edge: afterwards it holds an `EmailAddress` or the `InvalidEmailAddress`
 * that `@IsEmail` refuses. An array longer than `maxSize` is left unread, for `@ArrayMaxSize` to refuse.
 */
export function ParseEmailAddresses(maxSize: number): PropertyDecorator {
  return Transform(({ value }) =>
    Array.isArray(value) && value.length <= maxSize ? value.map(parseEmailAddress) : value,
  );
}

/** Like {@link ParseEmailAddresses}, for a property that holds one address. */
export function ParseEmailAddress(): PropertyDecorator {
  return Transform(({ value }) => (value === undefined ? undefined : parseEmailAddress(value)));
}
