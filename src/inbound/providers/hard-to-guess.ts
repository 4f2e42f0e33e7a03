const LONG_ENOUGH = /^[\x21-\x7e]{16,}$/;

/**
 * For a secret without a format of its own, which a person may choose. A shorter one could be found by trying, and headers
 * and URLs carry no other characters.
 *
 * @returns the `problemWith` of a secret of this name
 */
export function hardToGuess(name: string): (value: string) => string | undefined {
  return (value) =>
    LONG_ENOUGH.test(value)
      ? undefined
      : `The ${name} must have at least 16 ASCII characters, and no spaces.`;
}
