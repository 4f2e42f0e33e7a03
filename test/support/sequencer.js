import Sequencer from '@jest/test-sequencer';

/**
 * What takes longest, in this order: what begins last must not be one of them. Those that wait stand between those that
 * work, and the two with thousands of requests apart.
 */
const LONGEST = [
  'process/start',
  'http/backpressure',
  'process/database-url',
  'cli/embedded-database',
  'http/unavailable',
  'process/stop',
  'inbound/providers/any-body',
  'process/crash',
  'cli/commands',
  'http/deadline',
  'inbound/day',
  'api-keys/guard',
  'docs/swagger-ui',
  'testing/testing',
];

/** Jest knows how long files took only where it ran them before; on a fresh checkout it goes by their size. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rankOf = ({ path }) => {
      const rank = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
      return rank === -1 ? LONGEST.length : rank;
    };
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
