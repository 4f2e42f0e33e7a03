import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { postedEventsSourceId } from '../../src/inbound/sources/sources.service.js';
import { ended, importFile } from '../support/imports.js';
import { OPERATOR } from '../support/operator.js';
import { createWorld, setCause, suppress, withNewAccounts, type World } from '../support/world.js';

describe('POST /imports/:import/revert', () => {
  let service: World;
  let world: World;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(() => service.close());

  const list = () =>
    world.database.query(
      'SELECT id, email, cause, email_id, created_at FROM suppressions WHERE account_id = $1 ORDER BY email',
      [world.acme.id],
    );

  async function revert(id: string): Promise<void> {
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    expect(await ended(world, world.alice, id)).toMatchObject({ status: 'reverted' });
  }

  it('reverts what the import added and strengthened', async () => {
    const [weak] = await suppress(world, world.alice, ['weak@example.com', 'same@example.com']);
    await setCause(world, weak!, 'bounce', null);
    await world.database
      .query(`INSERT INTO suppression_changes (account_id, action, suppression_id, email, cause,
      actor_type, actor_name) VALUES (${world.acme.id}, 'strengthened', '${weak}', 'weak@example.com', 'bounce', 'cli', 'test')`);
    const before = await list();
    const rows = Array.from({ length: 1_200 }, (_, index) => `user${index}@example.com,complaint\n`);
    const file = `email,cause\nweak@example.com,complaint\nsame@example.com,bounce\n${rows.join('')}`;
    const { id, added } = await importFile(world, world.alice, file);
    expect(added).toBe(1_200);
    await revert(id);
    expect(await list()).toEqual(before);
    const { body } = await world.as(world.alice).get('/suppressions/user7@example.com/history').expect(200);
    expect(body.data).toMatchObject([
      {
        action: 'removed',
        actor: { type: 'api_key', name: 'alice' },
        note: `The import ${id} was reverted.`,
      },
      { action: 'added' },
    ]);
  });

  it('leaves what somebody has reported since, although it was listed already', async () => {
    const file = 'email,cause\na@example.com,complaint\nb@example.com,complaint\n';
    const { id } = await importFile(world, world.alice, file);
    const complaint = { type: 'complaint', email: 'a@example.com' };
    await world.as(world.alice).post('/events').send(complaint).expect(200);
    await revert(id);
    expect(await list()).toMatchObject([{ email: 'a@example.com', cause: 'complaint' }]);
  });

  it('leaves what a source has reported since, even if the source was deleted or its clock was slow', async () => {
    const file = 'email,cause\na@example.com,bounce\nb@example.com,bounce\nc@example.com,bounce\n';
    const { id } = await importFile(world, world.alice, file);
    const report = (email: string) =>
      world.as(world.alice).post('/events').send({ type: 'bounce', email }).expect(200);
    await report('a@example.com');
    await world.app
      .get(SourceChangesService)
      .delete({ actor: OPERATOR, deadline: Infinity }, postedEventsSourceId(world.acme.id));
    await report('b@example.com');
    await world.database.query(
      `UPDATE delivery_events SET received_at = received_at - interval '1 hour' WHERE account_id = $1`,
      [world.acme.id],
    );
    await revert(id);
    expect(await list()).toMatchObject([{ email: 'a@example.com' }, { email: 'b@example.com' }]);
  });

  it('leaves what somebody has added by hand since, although it was listed already', async () => {
    const file = 'email,cause\na@example.com,manual\nb@example.com,manual\nc@example.com,complaint\n';
    const { id } = await importFile(world, world.alice, file);
    await suppress(world, world.alice, ['a@example.com']);
    await world.as(world.alice).post('/suppressions').send({ email: 'c@example.com' }).expect(200);
    await revert(id);
    expect(await list()).toMatchObject([{ email: 'a@example.com' }, { email: 'c@example.com' }]);
  });

  it('leaves no address without the cause that somebody adds while it is reverted', async () => {
    const bounce = { type: 'bounce', email: 'a@example.com', status: '5.1.1' };
    await world.as(world.alice).post('/events').send(bounce).expect(200);
    const { id } = await importFile(world, world.alice, 'a@example.com\n');
    const lock = await world.database.lockRow('suppressions', `account_id = ${world.acme.id}`);
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    await world.database.untilWaiting();
    const adding = suppress(world, world.alice, ['a@example.com']);
    await world.database.untilWaiting(2);
    await lock.release();
    await adding;
    expect(await ended(world, world.alice, id)).toMatchObject({ status: 'reverted', reverted: 1 });
    expect(await list()).toMatchObject([{ email: 'a@example.com', cause: 'manual' }]);
  });

  it('leaves what a second import has as well, and what a third one reports again', async () => {
    const first = await importFile(world, world.alice, 'a@example.com\nb@example.com\nc@example.com\n');
    const second = await importFile(world, world.alice, 'b@example.com\nc@example.com\nd@example.com\n');
    expect(second).toMatchObject({ added: 1, unchanged: 2 });
    await importFile(world, world.alice, 'd@example.com\n');
    await revert(first.id);
    await revert(second.id);
    expect(await list()).toMatchObject([
      { email: 'b@example.com' },
      { email: 'c@example.com' },
      { email: 'd@example.com' },
    ]);
  });

  it('reverts a file that was imported twice, and says what it kept', async () => {
    const file = 'a@example.com\nb@example.com\nc@example.com\n';
    const first = await importFile(world, world.alice, file);
    const second = await importFile(world, world.alice, file);
    await importFile(world, world.alice, 'c@example.com\n');
    await revert(second.id);
    expect(await list()).toHaveLength(3);
    await revert(first.id);
    expect(await list()).toMatchObject([{ email: 'c@example.com' }]);
    const { body } = await world.as(world.alice).get(`/imports/${first.id}`).expect(200);
    expect(body).toMatchObject({ added: 3, reverted: 2, kept: 1 });
  });

  it('reverts what only a dry run has reported since', async () => {
    const { id } = await importFile(world, world.alice, 'a@example.com\n');
    await importFile(world, world.alice, 'a@example.com\n', { dry_run: 'true' });
    await revert(id);
    expect(await list()).toEqual([]);
  });

  it('leaves what somebody has changed since', async () => {
    const { id } = await importFile(
      world,
      world.alice,
      'email,cause\na@example.com,bounce\nb@example.com,bounce\n',
    );
    await suppress(world, world.alice, ['a@example.com']);
    await revert(id);
    expect(await list()).toMatchObject([{ email: 'a@example.com', cause: 'manual' }]);
  });

  it('leaves what somebody removed and added again', async () => {
    const { id } = await importFile(world, world.alice, 'a@example.com\n');
    await world.as(world.alice).delete('/suppressions/a@example.com').expect(200);
    await suppress(world, world.alice, ['a@example.com']);
    await revert(id);
    expect(await list()).toMatchObject([{ email: 'a@example.com' }]);
  });

  it('reverts an address once, although the file strengthened what it had added itself', async () => {
    const filler = Array.from({ length: 1_000 }, (_, index) => `user${index}@example.com,bounce\n`).join('');
    const file = `email,cause\na@example.com,bounce\n${filler}a@example.com,complaint\n`;
    const { id, strengthened } = await importFile(world, world.alice, file);
    expect(strengthened).toBe(1);
    await revert(id);
    expect(await list()).toEqual([]);
  });

  it('counts the addresses that it reverts, and has its own time of completion', async () => {
    const file = 'a@example.com\nb@example.com\nc@example.com\n';
    const { id, completed_at: importedAt } = await importFile(world, world.alice, file);
    await suppress(world, world.alice, ['b@example.com']);
    await revert(id);
    const { body } = await world.as(world.alice).get(`/imports/${id}`).expect(200);
    expect(body).toMatchObject({ status: 'reverted', added: 3, reverted: 2 });
    expect(Date.parse(body.completed_at)).toBeGreaterThan(Date.parse(importedAt!));
  });

  it('leaves a cause that the record had before, whose expiry the import extended', async () => {
    const expiring = { email: 'a@example.com', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    await world.as(world.alice).post('/suppressions').send(expiring).expect(201);
    const file = 'email,cause\na@example.com,manual\na@example.com,complaint\nb@example.com,manual\n';
    const { id } = await importFile(world, world.alice, file);
    await revert(id);
    expect(await list()).toMatchObject([{ email: 'a@example.com', cause: 'manual' }]);
  });

  it('finds the lines of an import among those of others', async () => {
    const { id } = await importFile(world, world.alice, 'a@example.com\nb@example.com\n');
    await world.database.query(
      `INSERT INTO suppression_changes (account_id, action, suppression_id, email, cause, actor_type, actor_name)
      SELECT $1, 'added', uuid_v7(), 'other' || number || '@example.com', 'bounce', 'system', 'test'
      FROM generate_series(1, 12000) AS number`,
      [world.acme.id],
    );
    const { id: second } = await importFile(world, world.alice, 'c@example.com\n');
    await revert(second);
    expect(await list()).toMatchObject([{ email: 'a@example.com' }, { email: 'b@example.com' }]);
    await revert(id);
    expect(await list()).toEqual([]);
  });

  it('cannot be cancelled', async () => {
    const { id } = await importFile(world, world.alice, 'a@example.com\n');
    const lock = await world.database.lockRow('suppressions', `account_id = ${world.acme.id}`);
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    const { body } = await world.as(world.alice).post(`/imports/${id}/cancel`).expect(409);
    expect(body).toMatchObject({ code: 'import_status' });
    await lock.release();
    expect(await ended(world, world.alice, id)).toMatchObject({ status: 'reverted', reverted: 1 });
  });

  it('can be requested twice, even while it is under way', async () => {
    const { id } = await importFile(world, world.alice, 'a@example.com\n');
    const lock = await world.database.lockRow('suppressions', `account_id = ${world.acme.id}`);
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    await lock.release();
    await revert(id);
    await revert(id);
  });
});
