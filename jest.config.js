/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.{ts,tsx}'],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  resolver: '<rootDir>/test/support/resolver.cjs',
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
        // Inline maps would double the code that each test file has to load.
        sourceMaps: true,
      },
    ],
  },
  // Twice the two cores that the tests ask for: many files wait for a deadline or for another process.
  maxWorkers: 4,
  // The modules of each file stay in memory. Collecting a heap of gigabytes takes longer than a new process.
  workerIdleMemoryLimit: '600MB',
  testTimeout: 120_000,
};
