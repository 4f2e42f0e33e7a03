/** In a run of everything, each of these folders is one file: to load the service for every file took a quarter of the time. */
const TOGETHER = ['cli', 'docs', 'http', 'inbound', 'inbound/providers', 'suppressions'];

const isRunOfEverything = process.argv.slice(2).every((argument) => argument.startsWith('-'));

/** @type {import('jest').Config} */
export default {
  testMatch: isRunOfEverything
    ? ['<rootDir>/test/**/together.ts', '<rootDir>/test/**/*.test.ts']
    : ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: isRunOfEverything
    ? TOGETHER.map((folder) => `<rootDir>/test/${folder}/[^/]+[.]test[.]ts$`)
    : [],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  testSequencer: '<rootDir>/test/support/sequencer.js',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  // Two more than the cores that are asked for, since many tests wait.
  maxWorkers: 4,
  testTimeout: 60_000,
};
