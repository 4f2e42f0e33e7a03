import { setTimeout as delay } from 'node:timers/promises';
import { Child } from '../support/child-process.js';
import { DataFolder } from '../support/data-folder.js';
import {
  apply,
  exportList,
  follow,
  type Copy,
  type Exported,
  type ReadChange,
} from '../support/feed/feed-readers.js';
import { importFiles, tryTo, write, type Instance } from '../support/feed/feed-writers.js';
import { until } from '../support/until.js';

/** `npm run feed` has 100,000. */
const CHANGES = Number(process.env.FEED_CHANGES ?? 400);
const WRITERS = 16;
const READERS = 4;
/** With every crash, writers wait for the database for some seconds. */
const CRASHES = CHANGES > 1_000 ? 2 : 1;
const PATIENCE_MS = 180_000 + CHANGES * 20;

describe(`a feed of ${CHANGES} changes by ${WRITERS} writers, while instances and PostgreSQL crash`, () => {
  let folder: DataFolder;
  let secondProcess: Child;
  let reads: ReadChange[][];
  let final: Copy;
  let ledger: string[];
  const exports: Exported[] = [];
  const rebuilt: Copy[] = [];

  beforeAll(async () => {
    folder = await DataFolder.create();
    const service = await folder.start({ LOG_LEVEL: 'fatal' });
    const { databaseUrl } = folder;
    const first: Instance = { url: service.url, key: service.key };
    const second: Instance = { ...first };
    secondProcess = await startSecond();
    const instances = [first, second];
    await tryTo(first, '/topics', {
      method: 'POST',
      body: JSON.stringify({ name: 'News', default_subscription: 'opt_in' }),
    });

    const writing = new AbortController();
    const writers = [
      ...Array.from({ length: WRITERS - 1 }, () => write(instances, writing.signal)),
      importFiles(instances, writing.signal),
    ];
    let isOver = false;
    const readers = Array.from({ length: READERS }, () => follow(instances, undefined, () => isOver));
    for (let crash = 1; crash <= CRASHES; crash++) {
      await grownTo((crash / (CRASHES + 1)) * CHANGES);
      exports.push(await untilExported());
      secondProcess.kill('SIGKILL');
      await crashPostgres();
      secondProcess = await startSecond();
      await terminateConnections();
    }
    await grownTo(CHANGES);
    writing.abort();
    await Promise.all(writers);
    await until(async () => (await openJobs()) === 0, PATIENCE_MS);
    isOver = true;
    reads = await Promise.all(readers);
    final = (await untilExported()).copy;
    ledger = (await folder.query<{ id: string }>('SELECT id FROM suppression_changes')).map(({ id }) => id);
    for (const { copy, cursor } of exports) {
      rebuilt.push(apply(copy, await follow(instances, cursor, () => true)));
    }

    async function startSecond(): Promise<Child> {
      const child = Child.service(
        { DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'false', LOG_LEVEL: 'info', ACCESS_LOG: 'false' },
        folder.path,
      );
      const [, url] = await child.says(/listening on (http[^"]+)/);
      second.url = url!;
      return child;
    }

    /** An export is cut off if PostgreSQL crashes meanwhile. */
    async function untilExported(): Promise<Exported> {
      let exported: Exported | undefined;
      await until(async () => (exported = await exportList(first)), PATIENCE_MS);
      return exported!;
    }
  }, PATIENCE_MS);
  afterAll(async () => {
    secondProcess.kill('SIGKILL');
    await folder.remove();
  });

  /** The statements of the test itself fail during a crash. */
  async function count(sql: string): Promise<number> {
    const rows = await folder.query<{ count: string }>(sql).catch(() => []);
    return Number(rows[0]?.count ?? Number.NaN);
  }

  function openJobs(): Promise<number> {
    return count(`SELECT count(*) FROM jobs WHERE status IN ('queued', 'running')`);
  }

  async function grownTo(changes: number): Promise<void> {
    const grown = async () => (await count('SELECT count(*) FROM suppression_changes')) >= changes;
    for (const deadline = Date.now() + PATIENCE_MS; !(await grown()); await delay(100)) {
      expect(Date.now()).toBeLessThan(deadline);
    }
  }

  /** If a backend is killed, PostgreSQL ends all others and recovers from its log. */
  async function crashPostgres(): Promise<void> {
    const [backend] = await folder.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'suppression-list' LIMIT 1`,
    );
    process.kill(backend!.pid, 'SIGKILL');
    await until(async () => Number.isFinite(await openJobs()), PATIENCE_MS);
  }

  async function terminateConnections(): Promise<void> {
    await folder.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'suppression-list'`,
    );
  }

  it('shows every reader every committed change exactly once, in the same order', () => {
    expect(ledger.length).toBeGreaterThanOrEqual(CHANGES);
    const [order, ...others] = reads.map((changes) => changes.map(({ id }) => id));
    for (const other of others) {
      expect(other).toEqual(order);
    }
    expect(order!.toSorted()).toEqual(ledger.toSorted());
  });

  it('has the changes of each address in the order of their revisions', () => {
    const last = new Map<string, number>();
    const late = reads[0]!.filter(({ email, topic, revision }) => {
      const about = `${email} ${topic !== null}`;
      const isLate = revision < (last.get(about) ?? 0);
      last.set(about, revision);
      return isLate;
    });
    expect(late).toEqual([]);
  });

  it('rebuilds the list from the beginning, and from every export and its cursor', () => {
    expect(final.size).toBeGreaterThan(0);
    const expected = [...final].toSorted();
    expect([...apply(new Map(), reads[0]!)].toSorted()).toEqual(expected);
    expect(rebuilt).toHaveLength(CRASHES);
    for (const copy of rebuilt) {
      expect([...copy].toSorted()).toEqual(expected);
    }
  });
});
