import { randomUUID } from 'node:crypto';
import { requireSpread } from '../../src/database/citus/spread-database.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { CitusNodes, hasCitus } from '../support/citus-nodes.js';
import { createAccount, ListWriters, send } from '../support/citus-requests.js';
import { runCommand } from '../support/command-line.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const COORDINATOR = 0;
const [FIRST, SECOND] = [1, 2];
const ADA = 'ada.lovelace@example.com';

(hasCitus ? describe : describe.skip)('failures of a database that Citus spreads over three nodes', () => {
  let nodes: CitusNodes;
  let instances: TestApp[] = [];
  /** Keys of accounts, by the worker where they are. */
  const keys: Record<number, string[]> = { [FIRST]: [], [SECOND]: [] };

  beforeAll(async () => {
    nodes = await CitusNodes.start(2);
    const settings = { DATABASE_URL: nodes.url, CITUS_EXPERIMENTAL: 'true' };
    for (const command of [['migrate'], ['database', 'spread', '--shards', '4']]) {
      expect(await runCommand(command, settings, process.cwd())).toMatchObject({ code: 0 });
    }
    await requireSpread(nodes.url, nodes.url);
    instances = [await startTestApp(nodes.url), await startTestApp(nodes.url)];
    while (keys[FIRST]!.length < 2 || keys[SECOND]!.length < 2) {
      const { accountId, key } = await createAccount(instances[0]!);
      keys[await nodes.workerOf(accountId)]!.push(key);
    }
  }, 300_000);
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.close()));
    await nodes?.stop();
  });

  const writers = (worker: number) => new ListWriters(instances, keys[worker]!);
  const statusOf = async (path: string) => (await fetch(instances[0]!.url + path)).status;
  /** An event with a token, which is spent on the coordinator. @returns the status */
  const report = async (key: string) => {
    const event = { type: 'complaint', email: `${randomUUID()}@example.com` };
    const headers = { 'Idempotency-Key': randomUUID() };
    return (await send(instances[0]!.url, key, 'POST', '/events', event, headers)).status;
  };
  /** Checks, additions, and events that also need the coordinator, all open at once. @returns their statuses */
  const flood = async (key: string, count: number) => {
    const statuses: Promise<number>[] = [];
    for (let number = 0; number < count; number++) {
      const [path, body] = [
        ['/suppressions/check', { emails: [ADA] }] as const,
        ['/suppressions', { email: `flood${number}@example.com` }] as const,
        ['/events', { type: 'complaint', email: `flood${number}@example.com` }] as const,
      ][number % 3]!;
      const headers = { 'Idempotency-Key': randomUUID() };
      const sent = send(instances[0]!.url, key, 'POST', path, body, headers);
      statuses.push(sent.then(({ status }) => status));
      if (number % 100 === 99) {
        await statusOf('/healthz');
      }
    }
    return new Set(await Promise.all(statuses));
  };

  describe('a commit of the coordinator that fails after that of the node', () => {
    const request = (method: string, path: string, body?: unknown) =>
      send(instances[0]!.url, keys[FIRST]![0]!, method, path, body);
    const verdict = async () =>
      (await request('POST', '/suppressions/check', { emails: [ADA] })).body.data[0]!.verdict;

    it('hides no change of a rule from the copies of the rules', async () => {
      const version = async () => (await request('GET', '/account')).body.rules_version;
      const before = await version();
      const commit = await nodes.failCommitsOfAccounts();
      expect((await request('POST', '/rules', { pattern: 'example.org', effect: 'block' })).status).toBe(500);
      await commit();
      expect((await request('GET', '/rules')).body.data).toHaveLength(1);
      expect(await version()).not.toBe(before);
    });

    it('lets no erased address be mailed', async () => {
      const erase = () =>
        request('POST', `/contacts/${ADA}/erase`, { reference: 'Case 1', keep_block: true });
      const letInstancesLearn = () =>
        nodes.query(`UPDATE kept_blocks SET announced_at = '2026-01-01' WHERE renamed_at IS NULL`);
      await request('POST', '/suppressions', { email: ADA });
      const commit = await nodes.failCommitsOfAccounts();
      expect((await erase()).status).toBe(500);
      await letInstancesLearn();
      expect((await erase()).status).toBe(500);
      expect(await verdict()).toBe('suppressed');
      await commit();
      await until(async () => {
        const { status } = await erase();
        await letInstancesLearn();
        return status === 200;
      });
      expect(await verdict()).toBe('suppressed');
      expect(JSON.stringify((await request('GET', '/suppressions')).body)).not.toContain(ADA);
    });
  });

  it('of a node that accepts connections and does not respond concern its accounts only', async () => {
    await Promise.all([FIRST, SECOND].map((worker) => flood(keys[worker]![0]!, 3)));
    const [away, here] = [writers(FIRST), writers(SECOND)];
    await until(() => away.acknowledged > 5 && here.acknowledged > 5);
    nodes.freeze(FIRST);

    try {
      expect(await flood(keys[FIRST]![0]!, 1_200)).toEqual(new Set([503]));
      expect(await flood(keys[SECOND]![0]!, 3)).toEqual(new Set([200]));
      expect(await statusOf('/readyz')).toBe(200);
      expect(await instances[0]!.app.get(Metrics).registry.metrics()).toContain(
        `suppression_list_database_node_up{node="127.0.0.1:${nodes.ports[FIRST]}"} 0`,
      );
      await until(() => away.refusals.length > 20);
    } finally {
      nodes.continue(FIRST);
    }
    const [refused, before] = [away.acknowledged, here.acknowledged];
    await until(() => away.acknowledged > refused + 20 && here.acknowledged > before + 20);
    await Promise.all([away.stop(), here.stop()]);
    expect(here.refusals).toEqual([]);
    expect(new Set(away.refusals)).toEqual(new Set([503]));
    expect([...(await away.differencesFromFeed()), ...(await here.differencesFromFeed())]).toEqual([]);
  });

  it('of a slow node leave connections to the coordinator for the accounts on other nodes', async () => {
    const finish = await nodes.holdEvents(FIRST);
    const slow = Promise.all(Array.from({ length: 60 }, () => report(keys[FIRST]![0]!)));
    await until(async () => (await nodes.waitingFor(FIRST)) > 0);
    for (let number = 0; number < 5; number++) {
      expect(await report(keys[SECOND]![0]!)).toBe(200);
    }
    await finish();
    expect([200, 503]).toEqual(expect.arrayContaining([...new Set(await slow)]));
  });

  it('leave a write that waited for its bucket less time for its statement', async () => {
    const timeoutMs = Number(/^(\d+)ms$/.exec(await nodes.timeoutAfterWait(FIRST))?.[1]);
    expect(timeoutMs).toBeGreaterThan(0);
    expect(timeoutMs).toBeLessThanOrEqual(9_900);
  });

  it('of the coordinator concern all accounts, until it is back, and lose nothing', async () => {
    const all = [writers(FIRST), writers(SECOND)];
    await until(() => all.every(({ acknowledged }) => acknowledged > 5));
    nodes.kill(COORDINATOR);
    await until(() => all.every(({ refusals }) => refusals.length > 5));
    expect(await statusOf('/readyz')).toBe(503);
    nodes.restart(COORDINATOR);
    const before = all.map(({ acknowledged }) => acknowledged);
    await until(() => all.every(({ acknowledged }, number) => acknowledged > before[number]! + 20));
    await Promise.all(all.map((some) => some.stop()));
    expect(new Set(all.flatMap(({ refusals }) => refusals))).toEqual(new Set([503]));
    expect((await Promise.all(all.map((some) => some.differencesFromFeed()))).flat()).toEqual([]);
    expect(await statusOf('/readyz')).toBe(200);
  });

  it('of a worker end when its synchronous standby takes its place, and lose nothing', async () => {
    const standby = await nodes.addStandby(FIRST);
    const [away, here] = [writers(FIRST), writers(SECOND)];
    await until(() => away.acknowledged > 20 && here.acknowledged > 5);
    nodes.kill(FIRST);
    await until(() => away.refusals.length > 5);
    await nodes.promote(standby, FIRST);
    const [refused, before] = [away.acknowledged, here.acknowledged];
    await until(() => away.acknowledged > refused + 20 && here.acknowledged > before + 20);
    await Promise.all([away.stop(), here.stop()]);
    expect(here.refusals).toEqual([]);
    expect(new Set(away.refusals)).toEqual(new Set([503]));
    expect([...(await away.differencesFromFeed()), ...(await here.differencesFromFeed())]).toEqual([]);
  });

  it('of the coordinator end when its synchronous standby takes its place, and lose nothing', async () => {
    const standby = await nodes.addStandby(COORDINATOR);
    const url = nodes.url.replace('/list', `,127.0.0.1:${new URL(nodes.urlOf(standby)).port}/list`);
    await requireSpread(url, nodes.url);
    instances.push(await startTestApp(url));
    const all = [FIRST, SECOND].map((worker) => new ListWriters(instances.slice(-1), keys[worker]!));
    await until(() => all.every(({ acknowledged }) => acknowledged > 20));
    nodes.kill(COORDINATOR);
    await until(() => all.every(({ refusals }) => refusals.length > 5));
    await nodes.promote(standby, COORDINATOR);
    const before = all.map(({ acknowledged }) => acknowledged);
    await until(() => all.every(({ acknowledged }, number) => acknowledged > before[number]! + 20));
    await Promise.all(all.map((some) => some.stop()));
    expect(new Set(all.flatMap(({ refusals }) => refusals))).toEqual(new Set([503]));
    expect((await Promise.all(all.map((some) => some.differencesFromFeed()))).flat()).toEqual([]);
    expect((await createAccount(instances.at(-1)!)).key).toBeDefined();
  });
});
