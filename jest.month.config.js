import config from './jest.config.js';

/**
 * The simulated month of provider lists. It takes four minutes, and its kills and faults come at other moments in each run.
 *
 * @type {import('jest').Config}
 */
export default {
  ...config,
  testMatch: ['<rootDir>/test/month/*.test.ts'],
  testPathIgnorePatterns: [],
  reporters: ['default'],
};
