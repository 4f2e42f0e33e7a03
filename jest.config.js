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
  reporters: ['default', '<rootDir>/test/support/jest/left-out.js'],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  // For --findRelatedTests: Node.js resolves what is imported.
  moduleNameMapper: { '^(\\.+/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', tsx: true, decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            react: { runtime: 'automatic', importSource: 'preact' },
          },
        },
        module: { type: 'es6' },
        // Inline maps would double the code that is loaded.
        sourceMaps: true,
      },
    ],
  },
  // Twice the two cores that the tests ask for: many files wait for a deadline or for another process.
  maxWorkers: 4,
  // Tests of a file that wait at the same time (`it.concurrent`).
  maxConcurrency: 10,
  // What test files leave behind stays in memory, so a process that holds this much is replaced, which takes three seconds.
  workerIdleMemoryLimit: '900MB',
  testTimeout: 120_000,
  coveragePathIgnorePatterns: ['/node_modules/', '<rootDir>/test/', '<rootDir>/migrations/'],
};
