const SHRUNK_TO = 10;

/**
 * Why a plan must wait for a person: a provider that is suddenly almost empty is probably the wrong one.
 *
 * @param before - how many entries it had when a plan was last applied
 */
export function stopReason(before: number, now: number): string | null {
  return before > 0 && now * SHRUNK_TO <= before
    ? `The provider had ${before} entries when a plan was last applied, and has ${now} now.`
    : null;
}
