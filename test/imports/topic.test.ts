import { randomUUID } from 'node:crypto';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { PreferencesRepository } from '../../src/topics/preferences.repository.js';
import { ended, importFile, upload } from '../support/imports.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

describe('POST /imports?topic=', () => {
  let service: World;
  let world: World;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => {
    world = await withNewAccounts(service);
    for (const key of [world.alice, world.charlie]) {
      await world.as(key).post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    }
  });
  afterAll(() => service.close());

  const verdictOf = async (email: string, topic?: string) => {
    const { body } = await world
      .as(world.alice)
      .post('/suppressions/check')
      .send({ emails: [email], topic });
    return body.data[0].verdict;
  };

  it('opts the addresses out of the topic, and leaves the list as it is', async () => {
    const file = 'email,created_at\na@example.com,2020-01-01\nA@example.com,2021-01-01\nbroken,2020-01-01\n';
    const done = await importFile(world, world.alice, file, { topic: 'news' });
    expect(done).toMatchObject({ status: 'completed', rows: 3, added: 1, unchanged: 1, invalid: 1 });
    expect([await verdictOf('a@example.com', 'news'), await verdictOf('a@example.com')]).toEqual([
      'suppressed',
      'send',
    ]);
    expect(await importFile(world, world.alice, file, { topic: 'news' })).toMatchObject({
      added: 0,
      unchanged: 2,
    });
    const { body } = await world.as(world.alice).get('/suppressions/a@example.com/history').expect(200);
    expect(body.data).toMatchObject([
      {
        action: 'opted_out',
        actor: { type: 'import', id: done.id },
        occurred_at: '2020-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('reads the unsubscribes of one group of a provider', async () => {
    const file = 'email,created\na@example.com,1443651125\n';
    const query = { format: 'sendgrid-group-unsubscribes', topic: 'news' };
    expect(await importFile(world, world.alice, file, query)).toMatchObject({ added: 1, skipped: {} });
    expect(await verdictOf('a@example.com', 'news')).toBe('suppressed');
  });

  it('writes nothing in a dry run', async () => {
    const query = { topic: 'news', dry_run: 'true' };
    expect(await importFile(world, world.alice, 'a@example.com\n', query)).toMatchObject({ added: 1 });
    expect(await verdictOf('a@example.com', 'news')).toBe('send');
  });

  it('gives another account the same opt-outs from an export of the topic', async () => {
    await importFile(world, world.alice, 'a@example.com\nb@example.com\n', { topic: 'news' });
    await suppress(world, world.alice, ['c@example.com']);
    const exported = (await world.as(world.alice).get('/exports?topic=news').expect(200)).text;
    await upload(world, world.charlie, exported).expect(422);
    expect(await importFile(world, world.charlie, exported, { topic: 'news' })).toMatchObject({ added: 2 });
    const { text } = await world.as(world.charlie).get('/exports?topic=news').expect(200);
    const emails = (csv: string) => csv.split('\r\n').map((line) => line.split(',')[0]);
    expect(emails(text)).toEqual(emails(exported));
  });

  const choose = (email: string, topic: string, subscription: string) =>
    world
      .as(world.alice)
      .patch(`/contacts/${email}/topics`)
      .send([{ id: topic, subscription }])
      .expect(200);

  async function revert(id: string) {
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    return ended(world, world.alice, id);
  }

  it('is reverted, except for what recipients and other imports have repeated since', async () => {
    const names = ['new', 'before', 'in', 'repeated', 'again', 'back'];
    const file = names.map((name) => `${name}@example.com\n`).join('');
    await choose('before@example.com', 'news', 'opt_out');
    await choose('in@example.com', 'news', 'opt_in');
    const done = await importFile(world, world.alice, file, { topic: 'news' });
    expect(done).toMatchObject({ added: 5, unchanged: 1 });
    await choose('repeated@example.com', 'news', 'opt_out');
    await importFile(world, world.alice, 'again@example.com\n', { topic: 'news' });
    await importFile(world, world.alice, 'new@example.com\n', { topic: 'news', dry_run: 'true' });
    await choose('back@example.com', 'news', 'opt_in');
    expect(await revert(done.id)).toMatchObject({ status: 'reverted', reverted: 2 });
    const { text } = await world.as(world.alice).get('/exports?topic=news').expect(200);
    const choices = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','));
    expect(choices.map(([email, , subscription]) => `${email} ${subscription}`).toSorted()).toEqual([
      'again@example.com opt_out',
      'back@example.com opt_in',
      'before@example.com opt_out',
      'in@example.com opt_in',
      'repeated@example.com opt_out',
    ]);
    const { body } = await world.as(world.alice).get('/suppressions/new@example.com/history').expect(200);
    expect(body.data).toMatchObject([
      { action: 'opted_in', actor: { name: 'alice' }, note: `The import ${done.id} was reverted.` },
      { action: 'opted_out', actor: { type: 'import' } },
    ]);
  });

  it("skips opt-outs that are older than the recipient's opt-in", async () => {
    const file = (date: string) => `email,created_at\nin@example.com,${date}\nout@example.com,${date}\n`;
    await importFile(world, world.alice, file('2020-01-01'), { topic: 'news' });
    await choose('in@example.com', 'news', 'opt_in');
    for (const dryRun of ['true', 'false']) {
      const query = { topic: 'news', dry_run: dryRun };
      expect(await importFile(world, world.alice, file('2021-01-01'), query)).toMatchObject({
        added: 0,
        unchanged: 1,
        skipped: { removed_since: 1 },
      });
    }
    expect(await verdictOf('in@example.com', 'news')).toBe('send');
    const later = file(new Date(Date.now() + 60_000).toISOString());
    expect(await importFile(world, world.alice, later, { topic: 'news' })).toMatchObject({
      added: 1,
      skipped: {},
    });
    expect(await verdictOf('in@example.com', 'news')).toBe('suppressed');
  });

  it('writes twice at most if hundreds of rows of one address are older than its opt-in', async () => {
    await choose('in@example.com', 'news', 'opt_in');
    const start = Date.parse('2020-01-01');
    const rows = Array.from({ length: 500 }, (_, index) => {
      return `in@example.com,${new Date(start + index * 60_000).toISOString()}\n`;
    });
    const file = `email,created_at\n${rows.join('')}out@example.com,2020-01-01\n`;
    const write = jest.spyOn(world.app.get(PreferencesRepository), 'set');
    try {
      expect(await importFile(world, world.alice, file, { topic: 'news' })).toMatchObject({
        rows: 501,
        added: 1,
        unchanged: 0,
        skipped: { removed_since: 500 },
      });
      expect(write).toHaveBeenCalledTimes(2);
    } finally {
      write.mockRestore();
    }
    expect(await verdictOf('in@example.com', 'news')).toBe('send');
  });

  it('is reverted although the same file was imported again', async () => {
    const { id } = await importFile(world, world.alice, 'a@example.com\n', { topic: 'news' });
    await importFile(world, world.alice, 'a@example.com\n', { topic: 'news' });
    expect(await revert(id)).toMatchObject({ status: 'reverted', reverted: 1, kept: 0 });
    expect(await verdictOf('a@example.com', 'news')).toBe('send');
  });

  it('leaves no choice behind when it is reverted, imported and reverted again', async () => {
    const file = 'in@example.com\nnew@example.com\n';
    await choose('in@example.com', 'news', 'opt_in');
    const times: string[] = [];
    for (const name of ['one', 'two']) {
      const { id, added, created_at } = await importFile(world, world.alice, file, { topic: 'news', name });
      expect(added).toBe(2);
      expect(await revert(id)).toMatchObject({ status: 'reverted', reverted: 2 });
      times.push(created_at);
    }
    const { text } = await world.as(world.alice).get('/exports?topic=news&format=ndjson').expect(200);
    const choice = JSON.parse(text);
    expect(choice).toMatchObject({ email: 'in@example.com', subscription: 'opt_in' });
    expect(choice.created_at <= times[0]!).toBe(true);
  });

  it('leaves one line in the ledger if a recipient makes the same opt-out meanwhile', async () => {
    const [topic] = await world.database.query<{ id: string; account_id: number }>(
      `SELECT id, account_id FROM topics WHERE account_id = (SELECT max(account_id) FROM topics WHERE key = 'news')`,
    );
    const email = 'a@example.com' as EmailAddress;
    const choice = { email, topicId: topic!.id, subscription: 'opt_out' } as const;
    const nothingElse = { emailId: null, occurredAt: null, eventId: null, note: null };
    const actor = { type: 'import', id: randomUUID(), name: 'file.csv' } as const;
    const dataSource = world.app.get<DataSource>(getDataSourceToken());
    const preferences = world.app.get(PreferencesRepository);
    let repeated: Promise<unknown> | undefined;
    const choices = [{ ...choice, ...nothingElse }];
    await transactionBefore(dataSource, { deadline: performance.now() + 20_000 }, async (transaction) => {
      await preferences.set(
        { accountId: topic!.account_id, actor },
        choices,
        { via: 'import', optIns: 'any' },
        transaction,
      );
      repeated = preferences.set(
        { accountId: topic!.account_id, actor: { ...actor, type: 'api_key' } },
        choices,
        { via: 'api', optIns: 'any' },
        {
          deadline: performance.now() + 20_000,
        },
      );
      await world.database.untilWaiting();
    });
    expect(await repeated).toEqual([]);
    const rows = await world.database.query(
      `SELECT count(*)::integer AS lines,
        (SELECT import_id FROM topic_preferences WHERE topic_id = $1) AS import_id
      FROM suppression_changes WHERE topic_id = $1`,
      [topic!.id],
    );
    expect(rows).toEqual([{ lines: 1, import_id: null }]);
  });

  it('is reverted to the default of a topic that needs an opt-in', async () => {
    const topic = { name: 'Offers', default_subscription: 'opt_out' };
    await world.as(world.alice).post('/topics').send(topic).expect(201);
    await choose('in@example.com', 'offers', 'opt_in');
    const file = 'in@example.com\nnew@example.com\n';
    const { id } = await importFile(world, world.alice, file, { topic: 'offers' });
    expect(await revert(id)).toMatchObject({ reverted: 2 });
    expect([
      await verdictOf('in@example.com', 'offers'),
      await verdictOf('new@example.com', 'offers'),
    ]).toEqual(['send', 'suppressed']);
  });

  it('needs a topic of the account', async () => {
    const { body } = await upload(world, world.alice, 'a@example.com\n', { topic: 'other' }).expect(404);
    expect(body).toMatchObject({ code: 'topic_not_found' });
  });
});
