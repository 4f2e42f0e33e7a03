import { Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { BackgroundTasks, forEvery } from '../../src/process/background-tasks.js';
import { until } from '../support/until.js';

const SERVICE = { httpAdapter: {} } as HttpAdapterHost;
const COMMAND = {} as HttpAdapterHost;

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

  it('run again after a failure', async () => {
    tasks.add(
      work(async () => {
        await count();
        throw new Error('no connection');
      }),
    );
    tasks.onApplicationBootstrap();
    await until(() => runs > 2);
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

describe('work for every item', () => {
  const run = (work: (item: number, stopping: AbortController) => Promise<void>) => {
    const stopping = new AbortController();
    return forEvery([1, 2, 3], stopping.signal, (item) => work(item, stopping));
  };

  it('goes on after a failure, and fails at the end with the first one', async () => {
    const done: number[] = [];
    const work = run(async (item) => {
      if (item < 3) {
        throw new Error(`failure ${item}`);
      }
      done.push(item);
    });
    await expect(work).rejects.toThrow('failure 1');
    expect(done).toEqual([3]);
  });

  it('begins no other item once it is stopped', async () => {
    const begun: number[] = [];
    await run(async (item, stopping) => {
      begun.push(item);
      stopping.abort();
    });
    expect(begun).toEqual([1]);
  });
});
