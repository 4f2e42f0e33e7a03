import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Says at the end of a whole run which tests were not part of it. */
export default class LeftOutReporter {
  #config;

  constructor(config) {
    this.#config = config;
  }

  onRunComplete() {
    const { rootDir, testPathPatterns } = this.#config;
    if (testPathPatterns.patterns.length === 0) {
      const files = readdirSync(join(rootDir, 'test/system'), { recursive: true });
      const count = files.filter((file) => file.endsWith('.test.ts')).length;
      const line = `Left out: the ${count} files of test/system, which start services, browsers, and tools. All tests: npm run test:ci`;
      // Jest's summary follows all other reporters.
      process.once('exit', () => console.error(`\n${line}`));
    }
  }
}
