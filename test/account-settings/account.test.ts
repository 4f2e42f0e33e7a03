import { tmpdir } from 'node:os';
import { runCommand } from '../support/command-line.js';
import { createSource } from '../support/sources.js';
import { createKey, createWorld, type World } from '../support/world.js';

const DEFAULTS = {
  removal: 'open',
  complaint_reach: 'all',
  bounce_expiry: null,
  inbox_retention: null,
  incident_guard: 'alert',
  incident_min_addresses: 50,
  incident_min_share: 0.1,
};

describe('the settings of an account', () => {
  let world: World;
  let alice: string;
  let name: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    alice = await createKey(world);
    ({ name } = (await world.as(alice).get('/account').expect(200)).body);
  });
  afterAll(() => world.close());

  const change = (body: object, apiKey = alice) => world.as(apiKey).patch('/account').send(body);
  const settings = async (apiKey = alice) => (await world.as(apiKey).get('/account').expect(200)).body;
  const cli = (line: string) => runCommand(line.split(' '), { DATABASE_URL: world.database.url }, tmpdir());

  it('are read by every key, whatever its scopes', async () => {
    const reader = await createKey(world, ['events:read'], name);
    expect(await settings(reader)).toEqual({
      object: 'account',
      name,
      ...DEFAULTS,
      kept_blocks_version: null,
      rules_version: null,
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it('accept a null after the periods of bounces, which means what is so without it', async () => {
    expect((await change({ bounce_expiry: ['7d', '30d', null] }).expect(200)).body.bounce_expiry).toEqual([
      '7d',
      '30d',
    ]);
    expect((await change({ bounce_expiry: [null] }).expect(200)).body.bounce_expiry).toBeNull();
    await change({ bounce_expiry: [null, '7d'] }).expect(400);
    await change({ bounce_expiry: ['7d', null, null] }).expect(400);
  });

  it.each([0.01, 0.0100000001, 1])('accept %d as the share of incidents', async (incident_min_share) => {
    await change({ incident_min_share }).expect(200);
    expect((await settings()).incident_min_share).toBeCloseTo(incident_min_share);
  });

  it('can be changed one at a time, without affecting the others', async () => {
    const terms = ['7d', '30d', '180d'];
    expect((await change({ bounce_expiry: terms }).expect(200)).body).toMatchObject({
      ...DEFAULTS,
      bounce_expiry: terms,
    });
    await change({ removal: 'guarded', complaint_reach: 'marketing' }).expect(200);
    await change({}).expect(200);
    expect(await settings()).toMatchObject({
      removal: 'guarded',
      complaint_reach: 'marketing',
      bounce_expiry: terms,
    });
    await change({ bounce_expiry: null }).expect(200);
    expect(await settings()).toMatchObject({ removal: 'guarded', bounce_expiry: null });
  });

  it.each([
    [{ removal: 'closed' }, 'removal'],
    [{ removal: null }, 'removal'],
    [{ complaint_reach: 'none' }, 'complaint_reach'],
    [{ bounce_expiry: [] }, 'bounce_expiry'],
    [{ bounce_expiry: '7d' }, 'bounce_expiry'],
    [{ bounce_expiry: ['7d', 30] }, 'bounce_expiry'],
    [{ bounce_expiry: [['7d']] }, 'bounce_expiry'],
    [{ bounce_expiry: [{ toString: 1 }] }, 'bounce_expiry'],
    [{ bounce_expiry: ['0d'] }, 'bounce_expiry'],
    [{ bounce_expiry: ['12h'] }, 'bounce_expiry'],
    [{ bounce_expiry: ['3651d'] }, 'bounce_expiry'],
    [{ bounce_expiry: ['30d', '7d'] }, 'bounce_expiry'],
    [{ bounce_expiry: Array.from({ length: 11 }, () => '7d') }, 'bounce_expiry'],
    [{ inbox_retention: '6d' }, 'inbox_retention'],
    [{ inbox_retention: '3651d' }, 'inbox_retention'],
    [{ inbox_retention: 30 }, 'inbox_retention'],
    [{ name: 'other' }, 'name'],
  ])('refuse %j', async (body, path) => {
    const response = await change(body).expect(400);
    expect(response.body.errors).toEqual([{ path, message: expect.any(String) }]);
    expect(await settings()).toMatchObject({ name, ...DEFAULTS });
  });

  it('show and change the retention of the inbox, including at the command line', async () => {
    expect((await change({ inbox_retention: '30d' }).expect(200)).body.inbox_retention).toBe('30d');
    expect((await cli(`account set ${name}`)).stdout).toMatch(/ 30d +alert\n$/);
    await cli(`account set ${name} --inbox-retention default`);
    expect((await settings()).inbox_retention).toBeNull();
    expect((await cli(`account set ${name} --inbox-retention 6d`)).code).toBe(2);
    const softLimit = { failures: 5, days: 30 };
    await createSource(world, 'sparkpost', { account: name, options: { softLimit } });
    expect(await cli(`account set ${name} --inbox-retention 20d`)).toEqual({
      code: 2,
      stdout: '',
      problems: [
        'inbox_retention must be at least 30d, which the soft limit of the source sparkpost covers.',
      ],
    });
  });

  it('refuse terms of bounces that decrease, with a message that says so', async () => {
    const { body } = await change({ bounce_expiry: ['7d', '7d', '30d', '14d'] }).expect(400);
    expect(body.message).toBe('bounce_expiry must not decrease: 14d follows 30d.');
    await change({ bounce_expiry: ['7d', '7d', '30d'] }).expect(200);
  });

  it('are changed only with the scope account:write', async () => {
    const writer = await createKey(world, ['suppressions:write', 'account:read'], name);
    const { body } = await change({ removal: 'guarded' }, writer).expect(401);
    expect(body).toMatchObject({ code: 'restricted_api_key' });
    const owner = await createKey(world, ['account:write'], name);
    await change({ removal: 'guarded' }, owner).expect(200);
  });

  it('of another account stay as they are', async () => {
    const stranger = await createKey(world);
    await change({ removal: 'guarded' }).expect(200);
    expect(await settings(stranger)).toMatchObject(DEFAULTS);
  });

  it('are set on the command line', async () => {
    const set = await cli(
      `account set ${name} --bounce-expiry 7d,30d --removal guarded --complaint-reach marketing`,
    );
    expect(set).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/guarded +marketing +7d,30d +default +alert\n$/),
    });
    const { stdout } = await cli(`account set ${name} --bounce-expiry off --json`);
    const expected = { name, removal: 'guarded', complaint_reach: 'marketing', bounce_expiry: null };
    expect(JSON.parse(stdout)).toEqual({ ...expected, inbox_retention: null, incident_guard: 'alert' });
    expect((await cli(`account set ${name} --incident-guard hold`)).stdout).toMatch(/ hold\n$/);
    expect(await settings()).toMatchObject({ incident_guard: 'hold' });
    expect(await settings()).toMatchObject(expected);
  });

  it.each([
    '--bounce-expiry 7',
    '--bounce-expiry 7d,',
    '--bounce-expiry 30d,7d',
    '--removal shut',
    '--complaint-reach none',
  ])('refuse %s on the command line', async (options) => {
    expect((await cli(`account set ${name} ${options}`)).code).toBe(2);
    expect((await cli(`account set nobody ${options.replace(/ .*/, ' off')}`)).code).not.toBe(0);
    expect(await settings()).toMatchObject(DEFAULTS);
  });
});
