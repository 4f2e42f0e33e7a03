import Sequencer from '@jest/test-sequencer';

/**
 * What takes longest, in this order: what begins last must not be one of them. Those that wait stand between those that
 * work.
 */
const LONGEST = [
  'http/together',
  'inbound/together',
  'together',
  'cli/together',
  'day/day.test',
  'process/start.test',
  'process/database-url.test',
  'process/stop.test',
  'suppressions/together',
  'process/crash.test',
];

/** Jest knows how long files took only where it ran them before; on a fresh checkout it goes by their size. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rankOf = ({ path }) => {
      const rank = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.ts`));
      return rank === -1 ? LONGEST.length : rank;
    };
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
