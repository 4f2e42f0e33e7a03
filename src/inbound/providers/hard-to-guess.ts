const LONG_ENOUGH = /^[\x21-\x7e]{16,}$/;

/**
 * For a secret of any format, which a person may choose: long enough to resist guessing, in characters that headers and URLs
 * can carry.
 *
 * @returns the `problemWith` of a secret of this name
 */
export function hardToGuess(name: string): (value: string) => string | undefined {
  return (value) =>
    LONG_ENOUGH.test(value)
      ? undefined
      : `The ${name} must have at least 16 ASCII characters, and no spaces.`;
}
