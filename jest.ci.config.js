import config from './jest.config.js';

process.env.ALL_CASES = 'true';

/**
 * All tests but those of `test/mail-servers` and `test/month`, with all of their random cases (`test/support/cases.ts`).
 *
 * @type {import('jest').Config}
 */
export default {
  ...config,
  testPathIgnorePatterns: ['<rootDir>/test/mail-servers/', '<rootDir>/test/month/'],
  reporters: ['default'],
};
