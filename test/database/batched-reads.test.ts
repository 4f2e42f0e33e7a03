import { DeadlineExceededError } from '../../src/database/errors.js';
import { BatchedReads, type Gathering } from '../../src/database/batched-reads.js';
import { until } from '../support/until.js';

const GATHERING: Gathering<string> = { keyOf: (group) => group, atOnce: 100, onTheWay: 4 };

describe('reads of the same moment', () => {
  it('are asked for in one statement', async () => {
    const statements: string[][] = [];
    const gathered = new BatchedReads(GATHERING, async (_group, asked: string[]) => {
      statements.push(asked);
      return asked.map((one) => (one === 'absent' ? null : one));
    });
    const answers = await Promise.all(['one', 'absent', 'two'].map((one) => gathered.read('acme', one)));
    expect(answers).toEqual(['one', null, 'two']);
    expect(statements).toEqual([['one', 'absent', 'two']]);
  });

  it('are no more in a statement, and in no more statements, than may', async () => {
    const sizes: number[] = [];
    let running = 0;
    let most = 0;
    const gathered = new BatchedReads(
      { ...GATHERING, atOnce: 3, onTheWay: 2 },
      async (_group, asked: number[]) => {
        sizes.push(asked.length);
        most = Math.max(most, ++running);
        await new Promise((done) => setTimeout(done, 20));
        running--;
        return asked;
      },
    );
    const asked = Array.from({ length: 20 }, (_, index) => index);
    expect(await Promise.all(asked.map((one) => gathered.read('acme', one)))).toEqual(asked);
    expect(sizes).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(most).toBe(2);
  });

  it('fail alone when PostgreSQL refuses one of them', async () => {
    const gathered = new BatchedReads(GATHERING, async (_group, asked: string[]) => {
      if (asked.includes('bad')) {
        throw new Error('refused');
      }
      return asked;
    });
    const settled = await Promise.allSettled(['one', 'bad', 'two'].map((one) => gathered.read('acme', one)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('fail when a statement has not an answer for each', async () => {
    const gathered = new BatchedReads(GATHERING, async (_group, asked: string[]) =>
      asked.filter((one) => one !== 'lost'),
    );
    const settled = await Promise.allSettled(['one', 'lost', 'two'].map((one) => gathered.read('acme', one)));
    expect(settled).toMatchObject([
      { value: 'one' },
      { reason: { message: 'A statement for 1 readers has 0 answers.' } },
      { value: 'two' },
    ]);
  });

  it('fail together where the database is away or took too long, for there is no time to ask again', async () => {
    let statements = 0;
    const gathered = new BatchedReads(GATHERING, async (): Promise<never> => {
      statements++;
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    });
    const settled = await Promise.allSettled(['one', 'two'].map((one) => gathered.read('acme', one)));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(statements).toBe(1);
  });

  describe('of whom some waited too long', () => {
    const realNow = performance.now;
    let passedMs = 0;
    beforeEach(() => {
      passedMs = 0;
      performance.now = () => realNow.call(performance) + passedMs;
    });
    afterEach(() => {
      performance.now = realNow;
    });

    it('are dropped unasked while they wait for a statement', async () => {
      const statements: string[][] = [];
      let finish = () => {};
      const gathered = new BatchedReads({ ...GATHERING, onTheWay: 1 }, async (_group, asked: string[]) => {
        statements.push(asked);
        await new Promise<void>((done) => (finish = done));
        return asked;
      });
      const first = gathered.read('acme', 'first');
      await until(() => statements.length === 1);
      const late = gathered.read('acme', 'late');
      passedMs = 4_501;
      const inTime = gathered.read('acme', 'in time');
      finish();
      await expect(late).rejects.toThrow(DeadlineExceededError);
      await until(() => statements.length === 2);
      finish();
      expect(await Promise.all([first, inTime])).toEqual(['first', 'in time']);
      expect(statements).toEqual([['first'], ['in time']]);
    });

    it('are dropped unasked while they wait for their turn to be asked alone', async () => {
      const statements: string[][] = [];
      const gathered = new BatchedReads(GATHERING, async (_group, asked: string[]) => {
        statements.push(asked);
        passedMs += 3_000;
        throw new Error('refused');
      });
      const settled = await Promise.allSettled(
        ['one', 'two', 'three'].map((one) => gathered.read('acme', one)),
      );
      expect(settled).toMatchObject([
        { reason: { message: 'refused' } },
        { reason: expect.any(DeadlineExceededError) },
        { reason: expect.any(DeadlineExceededError) },
      ]);
      expect(statements).toEqual([['one', 'two', 'three'], ['one']]);
    });
  });

  it('are not asked alone any more when the database goes away', async () => {
    const statements: string[][] = [];
    const gathered = new BatchedReads(GATHERING, async (_group, asked: string[]) => {
      statements.push(asked);
      throw Object.assign(new Error(), { code: asked.length > 1 ? 'XX000' : '57P01' });
    });
    const settled = await Promise.allSettled(
      ['one', 'two', 'three'].map((one) => gathered.read('acme', one)),
    );
    expect(settled).toMatchObject(Array(3).fill({ reason: { code: '57P01' } }));
    expect(statements).toEqual([['one', 'two', 'three'], ['one']]);
  });

  it('of different groups are asked for apart, and a group without readers takes no memory', async () => {
    const statements: [string, string[]][] = [];
    const gathered = new BatchedReads(GATHERING, async (group, asked: string[]) => {
      statements.push([group, asked]);
      return asked;
    });
    const read = ([group, one]: [string, string]) => gathered.read(group, one);
    const asked: [string, string][] = [
      ['acme', 'one'],
      ['globex', 'two'],
      ['acme', 'three'],
    ];
    expect(await Promise.all(asked.map(read))).toEqual(['one', 'two', 'three']);
    expect(statements).toEqual([
      ['acme', ['one', 'three']],
      ['globex', ['two']],
    ]);
    await until(() => gathered['queues'].size === 0);
    expect(await read(['acme', 'four'])).toBe('four');
  });

  it('see what was written before they were asked for, also while others wait', async () => {
    const rows = new Set<string>();
    const gathered = new BatchedReads(GATHERING, async (_group, asked: string[]) => {
      const found = asked.map((one) => (rows.has(one) ? one : null));
      await new Promise((done) => setTimeout(done, 20));
      return found;
    });
    const before = Array.from({ length: 500 }, (_, index) => gathered.read('acme', `other ${index}`));
    rows.add('new');
    expect(await gathered.read('acme', 'new')).toBe('new');
    await Promise.all(before);
  });
});
