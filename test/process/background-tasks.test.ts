import { Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { BackgroundTasks, Sweep } from '../../src/process/background-tasks.js';
import { until } from '../support/until.js';

const SERVICE = { httpAdapter: {} } as HttpAdapterHost;
const COMMAND = {} as HttpAdapterHost;
const STACK = expect.arrayContaining([expect.stringContaining('background-tasks.test')]);

describe('background tasks', () => {
  let tasks: BackgroundTasks;
  let runs: number;
  const work = (run: (stopping: AbortSignal) => Promise<void>, intervalMs = 1) => ({
    name: 'Test',
    intervalMs,
    failure: 'the test failed',
    run,
  });
  const count = async () => {
    runs++;
  };

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(() => {
    tasks = new BackgroundTasks(SERVICE);
    runs = 0;
  });
  afterEach(() => tasks.beforeApplicationShutdown());

  it('run at their interval once the application has started', async () => {
    tasks.add(work(count));
    expect(runs).toBe(0);
    tasks.onApplicationBootstrap();
    await until(() => runs > 2);
  });

  it('run again after a failure, and log one of many that follow each other', async () => {
    const warn = jest.fn();
    Logger.overrideLogger({ log: jest.fn(), warn, error: jest.fn() });
    tasks.add(
      work(async () => {
        await count();
        throw new Error('no connection');
      }),
    );
    tasks.onApplicationBootstrap();
    await until(() => runs > 2);
    Logger.overrideLogger(false);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('count the runs that failed since one succeeded', async () => {
    let isBroken = true;
    const fragile = tasks.add(
      work(() => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve())),
    );
    const other = tasks.add(work(count));
    for (const failures of [1, 2]) {
      await fragile.run();
      await other.run();
      expect(tasks.failures).toEqual(new Map([['Test', failures]]));
    }
    isBroken = false;
    await fragile.run();
    expect(tasks.failures).toEqual(new Map([['Test', 0]]));
  });

  it('do not run in commands', async () => {
    tasks = new BackgroundTasks(COMMAND);
    let isStarted = false;
    tasks.add(work(count)).start = () => (isStarted = true);
    tasks.onApplicationBootstrap();
    expect(isStarted).toBe(false);
  });

  it('join the run that is under way', async () => {
    const task = tasks.add(work(count, 60_000));
    await Promise.all([task.run(), task.run()]);
    expect(runs).toBe(1);
  });

  it('are aborted, and have ended, before the application stops', async () => {
    const ended: string[] = [];
    const task = tasks.add(
      work(async (stopping) => {
        await new Promise((resolve) => stopping.addEventListener('abort', resolve));
        ended.push('work');
      }, 60_000),
    );
    void task.run();
    await tasks.beforeApplicationShutdown();
    ended.push('application');
    expect(ended).toEqual(['work', 'application']);
  });
});

describe('a sweep', () => {
  const ITEMS = [{ accountId: 1 }, { accountId: 2, id: 'b' }, { accountId: 3 }];
  class TestSweep extends Sweep {
    isDone?: boolean;
    constructor(
      private readonly work: (item: { accountId: number }, stopping: AbortSignal) => Promise<void>,
      private readonly items: { accountId: number }[] = ITEMS,
    ) {
      super(tasks, { intervalMs: 60_000, failure: 'the test failed' });
    }

    protected async sweep(stopping: AbortSignal): Promise<void> {
      this.isDone = await this.forEvery(this.items, stopping, (item) => this.work(item, stopping));
    }
  }
  let tasks: BackgroundTasks;
  beforeEach(() => (tasks = new BackgroundTasks(SERVICE)));

  it('goes on after a failure, and logs what it failed on', async () => {
    const done: number[] = [];
    const sweep = new TestSweep(async ({ accountId }) => {
      if (accountId < 3) {
        throw new RangeError('failure of\n    at ada@example.com');
      }
      done.push(accountId);
    });
    const warn = jest.fn();
    Logger.overrideLogger({ log: jest.fn(), warn, error: jest.fn() });
    await sweep.run();
    Logger.overrideLogger(true);
    expect(done).toEqual([3]);
    expect(sweep.isDone).toBe(false);
    expect(tasks.failures).toEqual(new Map([['TestSweep', 1]]));
    const line = { msg: 'the test failed; the next run tries again', error: 'RangeError', at: STACK };
    expect(JSON.stringify(warn.mock.calls)).not.toContain('ada@example.com');
    expect(warn.mock.calls).toEqual([
      [{ ...line, accountId: 1 }, 'TestSweep'],
      [{ ...line, accountId: 2, id: 'b' }, 'TestSweep'],
    ]);
  });

  it('logs ten failures of a run, and the number of all of them', async () => {
    const items = Array.from({ length: 12 }, (_, index) => ({ accountId: index + 1 }));
    const sweep = new TestSweep(() => Promise.reject(new RangeError('failure')), items);
    const warn = jest.fn();
    Logger.overrideLogger({ log: jest.fn(), warn, error: jest.fn() });
    await sweep.run();
    Logger.overrideLogger(true);
    const line = { msg: 'the test failed; the next run tries again', error: 'RangeError', at: STACK };
    expect(warn.mock.calls.map(([logged]) => logged)).toEqual([
      ...items.slice(0, 10).map(({ accountId }) => ({ ...line, accountId })),
      { ...line, failures: 12 },
    ]);
  });

  it('begins no other item once it is stopped', async () => {
    const begun: number[] = [];
    const sweep = new TestSweep(async ({ accountId }) => {
      begun.push(accountId);
      void tasks.beforeApplicationShutdown();
    });
    await sweep.run();
    expect(begun).toEqual([1]);
  });
});
