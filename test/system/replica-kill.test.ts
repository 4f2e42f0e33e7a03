import { writeFile } from 'node:fs/promises';
import { openReplica } from '../../src/replica/replica.js';
import { Child } from '../support/child-process.js';
import { DataFolder, type RunningService } from '../support/data-folder.js';
import { until } from '../support/until.js';

/** `npm run replica` has 100,000. */
const ADDRESSES = Number(process.env.REPLICA_ADDRESSES ?? 5_000);
const AT_ONCE = 1_000;
const PATIENCE_MS = 60_000 + ADDRESSES * 5;

/** Follows until it is killed. */
const FOLLOWER = `
  const { openReplica } = await import(process.env.REPLICA);
  const { SERVICE: url, KEY: apiKey, FOLDER: path } = process.env;
  const replica = await openReplica({ url, apiKey, path });
  console.log('open');
  setInterval(() => replica.check(['ada@example.com']), 1);
`;

/** Ends in the midst of changes. */
const LEAVER = `
  const { ReplicaStore } = await import(process.env.STORE);
  const store = await ReplicaStore.open(process.env.FOLDER);
  const place = { owner: 'owner', cursor: 'cursor', knownAt: 0 };
  const none = (async function* () {})();
  const settings = { complaintReach: 'all', topics: [], rules: [], rulesVersion: null };
  store.use({ ...(await store.download(place, none, none)), settings });
  const change = { suppression: { id: '' }, causes: ['bounce'], expires_at: null, topic: null };
  setTimeout(() => process.exit(7), 100);
  for (let page = 0; ; page++, await new Promise(setImmediate)) {
    await store.apply(Array.from({ length: 1000 }, (_, row) => ({ ...change, email: page + '.' + row })), place);
  }
`;

/** Prints what its primary hears of a worker that opens a replica. */
const CLUSTER = `
  const { default: cluster } = await import('node:cluster');
  if (cluster.isPrimary) {
    cluster.setupPrimary({ exec: process.env.WORKER, execArgv: [] });
    cluster.on('listening', () => console.log('listening'));
    cluster.on('message', (_worker, text) => console.log(text));
    cluster.fork();
  }
`;
/** Opens a replica in a worker of a cluster. */
const WORKER = `
  import(process.env.STORE).then(async ({ ReplicaStore }) => {
    await ReplicaStore.open(process.env.FOLDER);
    process.send('opened', () => process.exit());
  });
`;

describe(`a replica of ${ADDRESSES} addresses`, () => {
  let folder: DataFolder;
  beforeAll(async () => (folder = await DataFolder.create()));
  afterAll(() => folder.remove());

  it('opens no socket of the primary in a worker of a cluster', async () => {
    const settings = {
      STORE: `${process.cwd()}/dist/src/replica/replica-store.js`,
      FOLDER: `${folder.path}/worker`,
    };
    const worker = `${folder.path}/worker.js`;
    await writeFile(worker, WORKER);
    const primary = Child.node(
      ['--input-type=module', '--eval', CLUSTER],
      { ...settings, WORKER: worker },
      folder.path,
    );
    expect(await primary.ended).toMatchObject({ code: 0, stdout: 'opened\n' });
  });

  it('leaves its process the exit code, whenever that exits', async () => {
    const settings = {
      STORE: `${process.cwd()}/dist/src/replica/replica-store.js`,
      FOLDER: `${folder.path}/left`,
    };
    for (let run = 0; run < 8; run++) {
      const leaver = Child.node(['--input-type=module', '--eval', LEAVER], settings, folder.path);
      expect((await leaver.ended).code).toBe(7);
    }
  }, 60_000);

  const emails = Array.from({ length: ADDRESSES }, (_, index) => `person${index}@example.com`);
  const chunks = Array.from({ length: ADDRESSES / AT_ONCE }, (_, index) =>
    emails.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );

  async function importAll(service: RunningService, from: number, to: number): Promise<void> {
    const response = await fetch(`${service.url}/imports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'text/plain' },
      body: emails.slice(from, to).join('\n'),
    });
    const { id } = (await response.json()) as { id: string };
    await until(async () => {
      const progress = (await (await service.ask(`/imports/${id}`)).json()) as { status: string };
      return progress.status === 'completed';
    }, PATIENCE_MS);
  }

  it(
    'answers as the service after both were killed, and after it was off while the list changed',
    async () => {
      let service = await folder.start({ PORT: '0' });
      const settings = { SERVICE: service.url, KEY: service.key, FOLDER: `${folder.path}/replica` };
      await importAll(service, 0, ADDRESSES / 4);
      const follower = Child.node(
        ['--input-type=module', '--eval', FOLLOWER],
        { ...settings, REPLICA: `${process.cwd()}/dist/src/replica/replica.js` },
        folder.path,
      );
      await follower.says(/open/);
      const { url } = service;
      const second = openReplica({ url, apiKey: settings.KEY, path: settings.FOLDER });
      await expect(second).rejects.toThrow('Another replica uses');
      const importing = importAll(service, ADDRESSES / 4, ADDRESSES / 2);
      follower.kill('SIGKILL');
      await follower.ended;
      await importing;
      await importAll(service, ADDRESSES / 2, (ADDRESSES * 3) / 4);
      service.process.kill('SIGKILL');
      await service.process.ended;
      service = await folder.start({ PORT: new URL(settings.SERVICE).port });
      for (const chunk of chunks) {
        await service.ask('/suppressions/batch/remove', { emails: chunk.slice(0, 50) });
        await service.ask(
          '/events',
          chunk.slice(40, 60).map((email) => ({ type: 'complaint', email })),
        );
      }

      const replica = await openReplica({ url: service.url, apiKey: settings.KEY, path: settings.FOLDER });
      const head = async () => {
        const response = await service.ask('/changes?from=now');
        return ((await response.json()) as { cursor: string }).cursor;
      };
      const end = await head();
      await until(() => replica.cursor === end, PATIENCE_MS);
      for (const chunk of chunks) {
        const response = await service.ask('/suppressions/check', { emails: chunk });
        const { data } = (await response.json()) as { data: { suppression?: unknown }[] };
        data.forEach((checked) => delete checked.suppression);
        expect(replica.check(chunk)).toEqual(data);
      }
      await replica.close();
    },
    3 * PATIENCE_MS,
  );
});
