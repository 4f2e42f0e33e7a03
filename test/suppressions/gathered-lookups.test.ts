import { GatheredLookups } from '../../src/suppressions/gathered-lookups.js';

const lookups = (find: (keys: string[]) => Promise<string[]>) => new GatheredLookups(find, (row) => row);

describe('lookups of the same moment', () => {
  it('are asked for in one statement', async () => {
    const statements: string[][] = [];
    const gathered = lookups(async (keys) => {
      statements.push(keys);
      return keys.filter((key) => key !== 'absent');
    });
    const found = await Promise.all(['one', 'absent', 'two'].map((key) => gathered.load(key)));
    expect(found).toEqual(['one', null, 'two']);
    expect(statements).toEqual([['one', 'absent', 'two']]);
  });

  it('fail alone when PostgreSQL refuses one of them', async () => {
    const gathered = lookups(async (keys) => {
      if (keys.includes('bad')) {
        throw new Error('refused');
      }
      return keys;
    });
    const settled = await Promise.allSettled(['one', 'bad', 'two'].map((key) => gathered.load(key)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('see what was written before they were asked for, also while others wait', async () => {
    const rows = new Set<string>();
    const gathered = lookups(async (keys) => {
      const found = keys.filter((key) => rows.has(key));
      await new Promise((done) => setTimeout(done, 20));
      return found;
    });
    const before = Array.from({ length: 500 }, (_, index) => gathered.load(`other ${index}`));
    rows.add('new');
    expect(await gathered.load('new')).toBe('new');
    await Promise.all(before);
  });
});
