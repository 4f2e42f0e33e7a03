import config from './jest.config.js';

process.env.ALL_CASES = 'true';

/**
 * All tests but those of `test/mail-servers`, `test/month`, and `test/year`, with all of their random cases (`test/support/cases.ts`).
 *
 * @type {import('jest').Config}
 */
export default {
  ...config,
  testPathIgnorePatterns: ['<rootDir>/test/mail-servers/', '<rootDir>/test/month/', '<rootDir>/test/year/'],
  reporters: ['default'],
};
