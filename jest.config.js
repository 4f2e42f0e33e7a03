import { LANGUAGE } from './packaging/language.js';
import { BUNDLED_IMPORTS } from './test/support/bundle.js';

/**
 * The tests that `npm test` runs: all but those of `test/system`, whose processes take as long as all others together
 * (`jest.ci.config.js`), those of `test/mail-servers` (`jest.mail-servers.config.js`), and the simulations
 * (`jest.simulations.config.js`).
 *
 * @type {import('jest').Config}
 */
export default {
  testMatch: ['<rootDir>/test/**/*.test.{ts,tsx}'],
  testPathIgnorePatterns: [
    '<rootDir>/test/system/',
    '<rootDir>/test/mail-servers/',
    '<rootDir>/test/month/',
    '<rootDir>/test/year/',
  ],
  reporters: ['default', '<rootDir>/test/support/left-out.js'],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  moduleNameMapper: { ...BUNDLED_IMPORTS, '^(\\.+/.*)\\.js$': '$1' },
  transform: {
    '\\.tsx?$': ['@swc/jest', { jsc: LANGUAGE, module: { type: 'commonjs' } }],
  },
  // Reading a global costs a call in Jest's context, which made simulations seven times slower.
  sandboxInjectedGlobals: ['Array', 'Infinity', 'Map', 'Math', 'Number', 'Object', 'Set', 'String'],
  // Twice the two cores that the tests ask for: many files wait for a deadline or for another process.
  maxWorkers: 4,
  // Tests of a file that wait at the same time (`it.concurrent`).
  maxConcurrency: 10,
  // What test files leave behind stays in memory, so a process that holds this much is replaced.
  workerIdleMemoryLimit: '900MB',
  testTimeout: 120_000,
  coveragePathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/dist/',
    '<rootDir>/test/',
    '<rootDir>/migrations/',
  ],
};
