const MIN = 50;
const MAX = 200;
const PART = 100;

/**
 * The most removals of a run, so that a wave of lifts does not clear the list of a provider.
 *
 * @param entries - how many the provider has
 */
export function removalCap(entries: number): number {
  return Math.min(MAX, Math.max(MIN, Math.floor(entries / PART)));
}
