import config from './jest.config.js';

/**
 * The tests of mail servers, for which `.ci/mail-servers` prepares the machine.
 *
 * @type {import('jest').Config}
 */
export default {
  ...config,
  testMatch: ['<rootDir>/test/mail-servers/*.test.ts'],
  testPathIgnorePatterns: [],
  reporters: ['default'],
};
