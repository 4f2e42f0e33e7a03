import { createWorld, type World } from '../support/world.js';

describe('GET /readyz', () => {
  let world: World;
  beforeEach(async () => (world = await createWorld()));
  afterEach(() => world.close());

  const addMigration = (name: string) =>
    world.database.query('INSERT INTO migrations (timestamp, name) VALUES (1999999999999, $1)', [name]);

  it('is 200 after a newer version has added to the schema', async () => {
    await addMigration('AddColumn1999999999999');
    await world.anyone.get('/readyz').expect(200);
  });

  it('is 503 after a newer version has taken something away', async () => {
    await addMigration('ContractAccounts1999999999999');
    const { body } = await world.anyone.get('/readyz').expect(503);
    expect(body.message).toBe('The database was migrated for a newer version of the service.');
    await world.anyone.get('/healthz').expect(200);
  });

  it('is 503 while a migration of this version is missing', async () => {
    await world.database.query('DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)');
    const { body } = await world.anyone.get('/readyz').expect(503);
    expect(body.message).toContain('npm run migrate');
  });
});
