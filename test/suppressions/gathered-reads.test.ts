import { GatheredReads, type Gathering } from '../../src/suppressions/gathered-reads.js';

const LOOKUPS: Gathering = { atOnce: 100, onTheWay: 4 };

describe('reads of the same moment', () => {
  it('are asked for in one statement', async () => {
    const statements: string[][] = [];
    const gathered = new GatheredReads(LOOKUPS, async (asked: string[]) => {
      statements.push(asked);
      return asked.map((one) => (one === 'absent' ? null : one));
    });
    const answers = await Promise.all(['one', 'absent', 'two'].map((one) => gathered.read(one)));
    expect(answers).toEqual(['one', null, 'two']);
    expect(statements).toEqual([['one', 'absent', 'two']]);
  });

  it('are no more in a statement, and in no more statements, than may', async () => {
    const sizes: number[] = [];
    let running = 0;
    let most = 0;
    const gathered = new GatheredReads({ atOnce: 3, onTheWay: 2 }, async (asked: number[]) => {
      sizes.push(asked.length);
      most = Math.max(most, ++running);
      await new Promise((done) => setTimeout(done, 20));
      running--;
      return asked;
    });
    const asked = Array.from({ length: 20 }, (_, index) => index);
    expect(await Promise.all(asked.map((one) => gathered.read(one)))).toEqual(asked);
    expect(sizes).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(most).toBe(2);
  });

  it('fail alone when PostgreSQL refuses one of them', async () => {
    const gathered = new GatheredReads(LOOKUPS, async (asked: string[]) => {
      if (asked.includes('bad')) {
        throw new Error('refused');
      }
      return asked;
    });
    const settled = await Promise.allSettled(['one', 'bad', 'two'].map((one) => gathered.read(one)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('see what was written before they were asked for, also while others wait', async () => {
    const rows = new Set<string>();
    const gathered = new GatheredReads(LOOKUPS, async (asked: string[]) => {
      const found = asked.map((one) => (rows.has(one) ? one : null));
      await new Promise((done) => setTimeout(done, 20));
      return found;
    });
    const before = Array.from({ length: 500 }, (_, index) => gathered.read(`other ${index}`));
    rows.add('new');
    expect(await gathered.read('new')).toBe('new');
    await Promise.all(before);
  });
});
