import { setImmediate } from 'node:timers/promises';
import { DeadlineExceededError } from '../../src/database/errors.js';
import { BatchedReads, type BatchOptions } from '../../src/database/batched-reads.js';
import { until } from '../support/until.js';

const OPTIONS: BatchOptions<string> = { keyOf: (group) => group, maxBatch: 100, maxRunning: 4 };

/** Until nothing is left that does not wait for something else. */
const allElseWaits = async () => {
  for (let turn = 0; turn < 10; turn++) {
    await setImmediate();
  }
};

describe('batched reads', () => {
  const realNow = performance.now;
  let passedMs = 0;
  beforeEach(() => {
    passedMs = 0;
    performance.now = () => realNow.call(performance) + passedMs;
  });
  afterEach(() => {
    performance.now = realNow;
  });

  it('share a statement if they are requested at the same moment', async () => {
    const statements: string[][] = [];
    const reads = new BatchedReads(OPTIONS, async (_group, keys: string[]) => {
      statements.push(keys);
      return keys.map((one) => (one === 'absent' ? null : one));
    });
    const results = await Promise.all(['one', 'absent', 'two'].map((one) => reads.read('acme', one)));
    expect(results).toEqual(['one', null, 'two']);
    expect(statements).toEqual([['one', 'absent', 'two']]);
  });

  it('respect the limits of batch size and of concurrent statements', async () => {
    const sizes: number[] = [];
    const running: (() => void)[] = [];
    const reads = new BatchedReads(
      { ...OPTIONS, maxBatch: 3, maxRunning: 2 },
      async (_group, keys: number[]) => {
        sizes.push(keys.length);
        await new Promise<void>((finish) => running.push(finish));
        return keys;
      },
    );
    const keys = Array.from({ length: 20 }, (_, index) => index);
    const results = Promise.all(keys.map((one) => reads.read('acme', one)));
    for (const expected of [2, 2, 2, 1]) {
      await until(() => running.length > 0);
      await allElseWaits();
      expect(running).toHaveLength(expected);
      running.splice(0).forEach((finish) => finish());
    }
    expect(await results).toEqual(keys);
    expect(sizes).toEqual([3, 3, 3, 3, 3, 3, 2]);
  });

  it('start the next statement before the results of the previous one are used', async () => {
    const order: string[] = [];
    let finish = () => {};
    const reads = new BatchedReads(
      { ...OPTIONS, maxRunning: 1, isPipelined: true },
      async (_group, keys: string[]) => {
        order.push(`${keys} sent`);
        await new Promise<void>((done) => (finish = done));
        return keys;
      },
    );
    const use = async (one: string) => order.push(`${await reads.read('acme', one)} used`);
    const first = use('first');
    await until(() => order.length === 1);
    const second = use('second');
    finish();
    await first;
    finish();
    await second;
    expect(order).toEqual(['first sent', 'second sent', 'first used', 'second used']);
  });

  describe('of a pipeline that has a running statement', () => {
    const OF_PIPELINE = { ...OPTIONS, maxBatch: 2, isPipelined: true };
    let statements: string[][];
    let running: Map<string, () => void>;
    let reads: BatchedReads<string, string, string>;
    let first: Promise<string>;
    beforeEach(async () => {
      performance.now = () => passedMs;
      statements = [];
      running = new Map();
      reads = new BatchedReads(OF_PIPELINE, async (_group, keys: string[]) => {
        statements.push(keys);
        await new Promise<void>((finish) => running.set(keys[0]!, finish));
        return keys;
      });
      first = reads.read('acme', 'first');
      await until(() => running.has('first'));
    });

    it.each([[['a']], [['a', 'b', 'c']]])('wait for it if they are few: %j', async (others) => {
      const results = others.map((one) => reads.read('acme', one));
      await allElseWaits();
      expect(statements).toEqual([['first']]);
      running.get('first')!();
      for (const one of ['a', 'c'].filter((key) => others.includes(key))) {
        await until(() => running.has(one));
        running.get(one)!();
      }
      expect(await Promise.all([first, ...results])).toEqual(['first', ...others]);
    });

    it('start another one once two batches wait', async () => {
      const others = ['a', 'b', 'c', 'd'];
      const results = others.map((one) => reads.read('acme', one));
      await allElseWaits();
      expect(statements).toEqual([['first'], ['a', 'b']]);
      running.get('a')!();
      expect(await Promise.all(results.slice(0, 2))).toEqual(['a', 'b']);
      running.get('first')!();
      await until(() => running.has('c'));
      running.get('c')!();
      expect(await Promise.all([first, ...results])).toEqual(['first', ...others]);
    });

    it('do not wait for it if it is slow, although no other read arrives', async () => {
      const second = reads.read('acme', 'second');
      await allElseWaits();
      expect(statements).toEqual([['first']]);
      passedMs = 4;
      await until(() => running.has('second'));
      running.get('second')!();
      expect(await second).toBe('second');
      const third = reads.read('acme', 'third');
      await allElseWaits();
      expect(statements).toEqual([['first'], ['second'], ['third']]);
      ['first', 'third'].forEach((one) => running.get(one)!());
      expect(await Promise.all([first, third])).toEqual(['first', 'third']);
    });
  });

  it.each([false, true])(
    'fail alone if PostgreSQL refuses one of them (pipelined: %s)',
    async (isPipelined) => {
      const reads = new BatchedReads({ ...OPTIONS, isPipelined }, async (_group, keys: string[]) => {
        if (keys.includes('bad')) {
          throw new Error('refused');
        }
        return keys;
      });
      const settled = await Promise.allSettled(['one', 'bad', 'two'].map((one) => reads.read('acme', one)));
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    },
  );

  it('fail if a statement does not return a result for each', async () => {
    const reads = new BatchedReads(OPTIONS, async (_group, keys: string[]) =>
      keys.filter((one) => one !== 'lost'),
    );
    const settled = await Promise.allSettled(['one', 'lost', 'two'].map((one) => reads.read('acme', one)));
    expect(settled).toMatchObject([
      { value: 'one' },
      { reason: { message: 'A statement returned 0 results for 1 reads.' } },
      { value: 'two' },
    ]);
  });

  it('fail together if the database is unavailable or too slow, since there is no time to retry', async () => {
    let statements = 0;
    const reads = new BatchedReads(OPTIONS, async (): Promise<never> => {
      statements++;
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    });
    const settled = await Promise.allSettled(['one', 'two'].map((one) => reads.read('acme', one)));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(statements).toBe(1);
  });

  describe('that waited too long', () => {
    it('are rejected without a statement while they wait for a running one', async () => {
      const statements: string[][] = [];
      let finish = () => {};
      const reads = new BatchedReads({ ...OPTIONS, maxRunning: 1 }, async (_group, keys: string[]) => {
        statements.push(keys);
        await new Promise<void>((done) => (finish = done));
        return keys;
      });
      const first = reads.read('acme', 'first');
      await until(() => statements.length === 1);
      const late = reads.read('acme', 'late');
      passedMs = 4_501;
      const inTime = reads.read('acme', 'in time');
      finish();
      await expect(late).rejects.toThrow(DeadlineExceededError);
      await until(() => statements.length === 2);
      finish();
      expect(await Promise.all([first, inTime])).toEqual(['first', 'in time']);
      expect(statements).toEqual([['first'], ['in time']]);
    });

    it('are rejected without their own statement while they wait for their turn', async () => {
      const statements: string[][] = [];
      const reads = new BatchedReads(OPTIONS, async (_group, keys: string[]) => {
        statements.push(keys);
        passedMs += 3_000;
        throw new Error('refused');
      });
      const settled = await Promise.allSettled(['one', 'two', 'three'].map((one) => reads.read('acme', one)));
      expect(settled).toMatchObject([
        { reason: { message: 'refused' } },
        { reason: expect.any(DeadlineExceededError) },
        { reason: expect.any(DeadlineExceededError) },
      ]);
      expect(statements).toEqual([['one', 'two', 'three'], ['one']]);
    });
  });

  it('are not retried alone once the database has become unavailable', async () => {
    const statements: string[][] = [];
    const reads = new BatchedReads(OPTIONS, async (_group, keys: string[]) => {
      statements.push(keys);
      throw Object.assign(new Error(), { code: keys.length > 1 ? 'XX000' : '57P01' });
    });
    const settled = await Promise.allSettled(['one', 'two', 'three'].map((one) => reads.read('acme', one)));
    expect(settled).toMatchObject(Array(3).fill({ reason: { code: '57P01' } }));
    expect(statements).toEqual([['one', 'two', 'three'], ['one']]);
  });

  it.each([false, true])(
    'of different groups use different statements, and an empty group takes no memory (pipelined: %s)',
    async (isPipelined) => {
      const statements: [string, string[]][] = [];
      const reads = new BatchedReads({ ...OPTIONS, isPipelined }, async (group, keys: string[]) => {
        statements.push([group, keys]);
        return keys;
      });
      const read = ([group, one]: [string, string]) => reads.read(group, one);
      const keys: [string, string][] = [
        ['acme', 'one'],
        ['globex', 'two'],
        ['acme', 'three'],
      ];
      expect(await Promise.all(keys.map(read))).toEqual(['one', 'two', 'three']);
      expect(statements).toEqual([
        ['acme', ['one', 'three']],
        ['globex', ['two']],
      ]);
      await until(() => reads['queues'].size === 0);
      expect(await read(['acme', 'four'])).toBe('four');
    },
  );

  it('see what was written before they were requested, even while others wait', async () => {
    const rows = new Set<string>();
    const reads = new BatchedReads(OPTIONS, async (_group, keys: string[]) => {
      const found = keys.map((one) => (rows.has(one) ? one : null));
      await allElseWaits();
      return found;
    });
    const before = Array.from({ length: 500 }, (_, index) => reads.read('acme', `other ${index}`));
    rows.add('new');
    expect(await reads.read('acme', 'new')).toBe('new');
    await Promise.all(before);
  });
});
