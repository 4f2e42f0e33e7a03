import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { createWorld, type World } from '../support/world.js';

describe('the guard', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const get = (authorization?: string) => {
    const request = world.anyone.get('/suppressions');
    return authorization === undefined ? request : request.set('Authorization', authorization);
  };
  /** A change counts within five seconds: so long a caller is known without asking the database. */
  const untilRefused = async (authorization: string) => {
    let answer = await get(authorization);
    while (answer.status === 200) {
      answer = await get(authorization);
    }
    return answer;
  };
  const accounts = () => world.app.get(AccountsService);
  const apiKeys = () => world.app.get(ApiKeysService);

  it.each([undefined, '', ' ', 'Bearer', 'Bearer '])('answers 401 missing_api_key for %j', async (header) => {
    const { body, headers } = await get(header).expect(401);
    expect(body).toMatchObject({ statusCode: 401, name: 'missing_api_key' });
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it.each(['Bearer sup_unknown', 'Basic dXNlcjpwYXNz', 'sup_unknown', 'Bearer a b', 'Token x', 'Bearer ü'])(
    'answers 403 invalid_api_key for %j',
    async (header) => {
      const { body } = await get(Buffer.from(header).toString('latin1')).expect(403);
      expect(body).toMatchObject({ statusCode: 403, name: 'invalid_api_key' });
    },
  );

  it('takes the scheme in any letter case', () => get(`bEARER ${world.alice}`).expect(200));

  it('refuses a key that is revoked or expired', async () => {
    const account = await accounts().create('initech', true);
    const create = (expiresAt: Date | null) =>
      apiKeys().create(account, { name: 'test', scopes: ['suppressions:read'], expiresAt });
    const revoked = await create(null);
    await get(`Bearer ${revoked.secret}`).expect(200);
    await apiKeys().revoke(revoked.id);
    const expired = await create(new Date(Date.now() - 1000));
    const expiring = await create(new Date(Date.now() + 60_000));
    for (const { secret } of [revoked, expired]) {
      const { body } = await untilRefused(`Bearer ${secret}`);
      expect(body).toMatchObject({ statusCode: 403, name: 'invalid_api_key' });
    }
    await get(`Bearer ${expiring.secret}`).expect(200);
  });

  it('refuses the keys of an account that is not admitted to the beta, or is suspended', async () => {
    const account = await accounts().create('umbrella', false);
    const { secret } = await apiKeys().create(account, {
      name: 'test',
      scopes: ['suppressions:read'],
      expiresAt: null,
    });
    const refused = await get(`Bearer ${secret}`).expect(403);
    expect(refused.body).toMatchObject({ statusCode: 403, name: 'beta_access_required' });
    await accounts().admit('umbrella');
    while ((await get(`Bearer ${secret}`)).status !== 200);
    await accounts().suspend('umbrella');
    const suspended = await untilRefused(`Bearer ${secret}`);
    expect(suspended.body).toMatchObject({ statusCode: 403, name: 'beta_access_required' });
  });

  it.each([
    ['post', '/suppressions'],
    ['post', '/suppressions/batch/add'],
    ['post', '/suppressions/batch/remove'],
    ['delete', '/suppressions/ada@example.com'],
  ] as const)(
    'answers 401 restricted_api_key to a key for reading that asks to %s %s',
    async (method, path) => {
      const { body } = await world
        .as(world.bob)
        [method](path)
        .send({ emails: ['a@example.com'] })
        .expect(401);
      expect(body).toMatchObject({ statusCode: 401, name: 'restricted_api_key' });
      expect(body.message).toContain('suppressions:write');
    },
  );

  it.each([
    ['get', '/suppressions', 200],
    ['get', '/suppressions/ada@example.com', 404],
    ['get', '/suppressions/ada@example.com/history', 404],
    ['post', '/suppressions/check', 200],
  ] as const)('lets a key for reading %s %s', (method, path, status) =>
    world
      .as(world.bob)
      [method](path)
      .send({ emails: ['a@example.com'] })
      .expect(status),
  );

  it('stores a hash of the secret and nothing else of it but its prefix', async () => {
    const rows = await world.database.query<Record<string, unknown>>('SELECT * FROM api_keys');
    const stored = JSON.stringify(rows);
    expect(stored).toContain(world.alice.slice(0, 12));
    expect(stored).not.toContain(world.alice.slice(0, 13));
  });

  it('notes the last use', async () => {
    await get(`Bearer ${world.charlie}`).expect(200);
    const lastUse = async () => {
      const keys = await apiKeys().list();
      return keys.find(({ name }) => name === 'charlie')!.lastUsedAt;
    };
    let noted = await lastUse();
    while (!noted) {
      noted = await lastUse();
    }
    await get(`Bearer ${world.charlie}`).expect(200);
    expect(await lastUse()).toEqual(noted);
  });
});
