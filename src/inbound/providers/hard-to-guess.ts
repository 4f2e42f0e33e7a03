const LONG_ENOUGH = /^[\x21-\x7e]{16,}$/;

/**
 * For a secret without a form of its own, which a person may choose: with fewer than 16 characters somebody could try them
 * all. What headers and URLs cannot carry is refused, too.
 *
 * @returns a `problemWith` of a {@link Secret} of this name
 */
export function hardToGuess(name: string): (value: string) => string | undefined {
  return (value) =>
    LONG_ENOUGH.test(value) ? undefined : `The ${name} has at least 16 characters of ASCII, without spaces.`;
}
