import { existsSync, readdirSync } from 'node:fs';

/** In a run of everything, each of these folders is one file: to load the service for every file took a quarter of the time. */
const TOGETHER = readdirSync(new URL('test/', import.meta.url)).filter((folder) =>
  existsSync(new URL(`test/${folder}/together.ts`, import.meta.url)),
);

/** And these, of few tests, are one file all together. */
const SMALL_FOLDERS = [
  'api-keys',
  'clients',
  'config',
  'database',
  'docs',
  'email-address',
  'rate-limit',
  'testing',
];

/** Any other argument may choose tests: then each file is taken by itself. */
const CHOOSES_NOTHING = /^--(?:ci|coverage|json|maxWorkers=.*|no-cache|outputFile=.*|verbose)$/;
const isRunOfEverything = process.argv.slice(2).every((argument) => CHOOSES_NOTHING.test(argument));

/** @type {import('jest').Config} */
export default {
  testMatch: isRunOfEverything
    ? ['<rootDir>/test/**/together.ts', '<rootDir>/test/**/*.test.ts']
    : ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: isRunOfEverything
    ? [...TOGETHER, ...SMALL_FOLDERS].map((folder) => `<rootDir>/test/${folder}/.+[.]test[.]ts$`)
    : [],
  globals: { SMALL_FOLDERS },
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
  // More than the two cores that are asked for, since many tests wait: the first to run most of their time.
  maxWorkers: 5,
  testTimeout: 60_000,
};
