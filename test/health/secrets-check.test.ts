import { DataSource } from 'typeorm';
import { poolOf } from '../../src/database/prepared-statement.js';
import { AccountKeys } from '../../src/pseudonyms/account-keys.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { StoredSecrets } from '../../src/secrets/stored-secrets.js';
import { forbidStatistics, recordStatements, rowsOfStatements, type Statements } from '../support/plans.js';
import { createSendGridList } from '../support/provider-lists.js';
import { createSource } from '../support/sources.js';
import { startTestApp, TEST_SECRETS_KEY, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

const KINDS = ['erased addresses', 'provider lists', 'sources', 'unsubscribe links', 'webhooks'];
const SETTINGS = { PUBLIC_URL: 'https://lists.example.com', PROVIDER_API_URL_SENDGRID: 'http://127.0.0.1:1' };
const METRIC = 'suppression_list_secrets_unreadable';

/** What an instance says about the secrets in its metrics, once it has looked at them. */
async function unreadable({ app }: Pick<TestApp, 'app'>): Promise<Record<string, number>> {
  const gauge = app.get(Metrics).registry.getSingleMetric(METRIC)!;
  await until(async () => (await gauge.get()).values.length === KINDS.length);
  return Object.fromEntries((await gauge.get()).values.map(({ labels, value }) => [labels.kind, value]));
}

const all = (value: number) => Object.fromEntries(KINDS.map((kind) => [kind, value]));
const errorsOf = ({ logLines }: TestApp) =>
  logLines().filter(({ level, context }) => level === 'error' && context === 'SecretsCheck');

describe('an instance that starts', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(SETTINGS);
    await createSource(world, 'mailgun');
    await createSendGridList(world, world.alice);
    const alice = world.as(world.alice);
    await alice
      .post('/webhooks')
      .send({ endpoint: 'https://example.com/webhooks', events: ['suppression.added'] })
      .expect(201);
    await alice
      .post('/unsubscribe-links')
      .send({ emails: ['ada@example.com'] })
      .expect(200);
    await world.app.get(AccountKeys).of(world.acme.id, Infinity);
  });
  afterAll(() => world.close());

  const startWith = (settings: Record<string, string>) =>
    startTestApp(world.database.url, { ...SETTINGS, ...settings });

  it('says nothing if its SECRETS_KEY, or the previous one, decrypts the secrets of every kind', async () => {
    const SECRETS_KEY = 'b6'.repeat(32);
    const rotating = { SECRETS_KEY, SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY };
    for (const settings of [{ SECRETS_KEY: TEST_SECRETS_KEY }, rotating]) {
      const service = await startWith(settings);
      expect(await unreadable(service)).toEqual(all(0));
      expect(errorsOf(service)).toEqual([]);
      await service.close();
    }
  });

  it.each([
    ['another key', { SECRETS_KEY: 'b6'.repeat(32) }],
    ['no key', { SECRETS_KEY: '' }],
  ])('logs one error that says what to do if it has %s, and is ready', async (_what, settings) => {
    const service = await startWith(settings);
    expect(await unreadable(service)).toEqual(all(1));
    expect(errorsOf(service)).toMatchObject([
      {
        msg: expect.stringMatching(/SECRETS_KEY.*restore that key/),
        secrets: expect.stringContaining('webhooks'),
      },
    ]);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.close();
  });

  it('is not deceived by sources and deleted lists without secrets, wherever they are', async () => {
    await world.database.query(
      `INSERT INTO sources (account_id, id, url_id, provider, name, secrets, options)
      SELECT account_id, ends.id::uuid, url_id || ends.id, provider, 'without secrets ' || ends.id, '{}', options
      FROM sources, (VALUES ('00000000-0000-7000-8000-000000000000'), ('ffffffff-ffff-7fff-8fff-fffffffffffe')) AS ends (id)
      LIMIT 2`,
    );
    const deleted = await createSendGridList(world, world.charlie, { scope: { subuser: 'deleted' } });
    await world.as(world.charlie).delete(`/provider-lists/${deleted}`).expect(200);
    const service = await startWith({ SECRETS_KEY: 'b6'.repeat(32) });
    expect(await unreadable(service)).toEqual(all(1));
    await service.close();
  });

  it('finds the secrets that were encrypted before or after another key was set', async () => {
    await world.database.query(
      `INSERT INTO sources (account_id, id, url_id, provider, name, secrets, options)
      SELECT account_id, 'ffffffff-ffff-7fff-8fff-ffffffffffff', 'x' || url_id, provider, 'broken', '{"signing_key": "AAAA"}', options
      FROM sources
      LIMIT 1`,
    );
    const service = await startWith({});
    expect(await unreadable(service)).toEqual({ ...all(0), sources: 1 });
    await service.close();
  });

  it('looks at few sources, however many have no secrets', async () => {
    const used: Statements = new Map();
    recordStatements(world, used);
    await forbidStatistics(world);
    await world.database.query(
      `INSERT INTO sources (account_id, id, url_id, provider, name, secrets, options)
      SELECT $1, gen_random_uuid(), 'without-any-secrets-' || number, 'ses', 'ses', '{}', '{}'
      FROM generate_series(1000, 5999) AS number`,
      [world.acme.id],
    );
    await world.app.get(StoredSecrets).areReadable();
    const rows = await rowsOfStatements(poolOf(world.app.get(DataSource)), used, 'force_generic_plan');
    expect(rows['sample-secrets-of-sources']).toBeLessThan(20);
  });
});
