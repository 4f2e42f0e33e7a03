import config from './jest.config.js';

/**
 * All tests.
 *
 * @type {import('jest').Config}
 */
export default { ...config, testPathIgnorePatterns: [], reporters: ['default'] };
