import { readFile } from 'node:fs/promises';
import { generateDocs } from '../../src/docs/generated-docs.js';

describe('the documentation that is generated from the code', () => {
  it('is current', async () => {
    const stale: string[] = [];
    for (const [file, text] of await generateDocs()) {
      if ((await readFile(file, 'utf8')) !== text) {
        stale.push(`${file} is not current. Run: npm run docs`);
      }
    }
    expect(stale).toEqual([]);
  });
});
