import config from './jest.config.js';

/**
 * The simulated month of provider lists and the simulated year of a sender, which take minutes and half an hour.
 *
 * @type {import('jest').Config}
 */
export default {
  ...config,
  testMatch: ['<rootDir>/test/{month,year}/*.test.ts'],
  testPathIgnorePatterns: [],
  reporters: ['default'],
};
