import { gzipSync } from 'node:zlib';
import type { Test } from 'supertest';
import { ImportsService } from '../../src/imports/imports.service.js';
import { JobSweep } from '../../src/jobs/job-sweep.js';
import { AdditionsService } from '../../src/suppressions/additions/additions.service.js';
import { ended, importFile, upload } from '../support/imports.js';
import { createWorld, setCause, suppress, withNewAccounts, type World } from '../support/world.js';

const BOUNCES = `status,reason,email,created
5.1.1,"550 5.1.1 no such user",ada@example.com,1443651125
5.1.1,550 no such user,Bob@Example.com,1443651126
4.2.2,mailbox full,cy@example.com,1443651127
`;

describe('POST /imports', () => {
  let service: World;
  let world: World;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(() => service.close());

  const get = async (email: string) => (await world.as(world.alice).get(`/suppressions/${email}`)).body;
  const rowsIn = (table: string) =>
    world.database.query(`SELECT FROM ${table} WHERE account_id = $1`, [world.acme.id]);
  const list = () =>
    world.database.query(
      `SELECT id, email, cause, weaker_causes, email_id, created_at FROM suppressions
      WHERE account_id = $1 ORDER BY email`,
      [world.acme.id],
    );
  const history = async (email: string) =>
    (await world.as(world.alice).get(`/suppressions/${email}/history`).expect(200)).body.data;

  it('keeps the cause and the date of every address, and is the actor in the ledger', async () => {
    const { body } = await upload(world, world.alice, BOUNCES, { format: 'sendgrid-bounces', name: 'Move' });
    expect(body).toMatchObject({ object: 'import', status: 'queued', format: 'sendgrid-bounces', rows: 0 });
    expect(await ended(world, world.alice, body.id)).toMatchObject({
      status: 'completed',
      rows: 3,
      added: 2,
      skipped: { soft_bounce: 1 },
      invalid: 0,
      error: null,
    });
    expect(await get('bob@example.com')).toMatchObject({
      origin: 'bounce',
      created_at: '2015-09-30T22:12:06.000Z',
    });
    expect(await get('cy@example.com')).toMatchObject({ statusCode: 404 });
    expect(await history('ada@example.com')).toEqual([
      expect.objectContaining({
        action: 'added',
        cause: 'bounce',
        actor: { type: 'import', id: body.id, name: 'Move' },
        note: '5.1.1 550 5.1.1 no such user',
      }),
    ]);
  });

  it('changes nothing the second time', async () => {
    await importFile(world, world.alice, BOUNCES, { format: 'sendgrid-bounces' });
    const before = await list();
    const again = await importFile(world, world.alice, BOUNCES, { format: 'sendgrid-bounces' });
    expect(again).toMatchObject({ rows: 3, added: 0, strengthened: 0, unchanged: 2 });
    expect(await list()).toEqual(before);
    expect(await history('ada@example.com')).toHaveLength(1);
  });

  it('strengthens weaker causes, and keeps weaker ones beside stronger ones', async () => {
    const [weak] = await suppress(world, world.alice, ['weak@example.com', 'strong@example.com']);
    await setCause(world, weak!, 'bounce', null);
    const strong = await get('strong@example.com');
    const file =
      'email,cause,created_at\nweak@example.com,complaint,2020-01-01\nstrong@example.com,bounce,2020-01-01\n';
    expect(await importFile(world, world.alice, file)).toMatchObject({
      rows: 2,
      strengthened: 2,
      unchanged: 0,
    });
    expect(await get('weak@example.com')).toMatchObject({ id: weak, origin: 'complaint' });
    expect(await get('strong@example.com')).toEqual(strong);
    await importFile(world, world.alice, 'email,date\nnew@example.com,2019-01-01\n');
    expect(await since('weak@example.com')).toBe('2020-01-01T00:00:00.000Z');
    expect(await since('new@example.com')).toBe('2019-01-01T00:00:00.000Z');
  });

  /** Since when the strongest cause applies. */
  async function since(email: string): Promise<string> {
    const { body } = await world.as(world.alice).get(`/suppressions/${email}`).query({ include: 'causes' });
    return body.causes[0].since;
  }

  it('applies the strongest cause of an address that a file has twice, with the oldest date of that cause', async () => {
    const file = `email,cause,date
ada@example.com,bounce,2019-01-01
ada@example.com,complaint,2021-01-01
ADA@example.com,complaint,2020-01-01
`;
    expect(await importFile(world, world.alice, file)).toMatchObject({ rows: 3, added: 1, unchanged: 2 });
    expect(await get('ada@example.com')).toMatchObject({
      origin: 'complaint',
      created_at: '2020-01-01T00:00:00.000Z',
    });
  });

  it('lists an imported address where its date belongs', async () => {
    await suppress(world, world.alice, ['new@example.com']);
    await importFile(
      world,
      world.alice,
      'email,date\nold@example.com,2020-01-01\nolder@example.com,2019-01-01\n',
    );
    const { body } = await world.as(world.alice).get('/suppressions');
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual([
      'new@example.com',
      'old@example.com',
      'older@example.com',
    ]);
    const { body: filtered } = await world
      .as(world.alice)
      .get('/suppressions?created_after=2019-06-01&created_before=2020-06-01');
    expect(filtered.data.map(({ email }: { email: string }) => email)).toEqual(['old@example.com']);
  });

  it('keeps all causes of an address that a file has twice', async () => {
    const file = 'email,cause\nada@example.com,bounce\nada@example.com,complaint\nada@example.com,bounce\n';
    expect(await importFile(world, world.alice, file)).toMatchObject({ rows: 3, added: 1, unchanged: 2 });
    const { body } = await world
      .as(world.alice)
      .get('/suppressions/ada@example.com')
      .query({ include: 'causes' });
    expect(body.causes).toMatchObject([{ cause: 'complaint' }, { cause: 'bounce' }]);
  });

  it('is named in the ledger by its format and time if it has no name', async () => {
    const { created_at: createdAt } = await importFile(world, world.alice, 'a@example.com\n');
    const [{ actor }] = await history('a@example.com');
    expect(actor.name).toBe(`plain, ${createdAt.slice(0, 16).replace('T', ' ')} UTC`);
  });

  it('reports every row that it could not read, with its line', async () => {
    const file =
      'email,cause,date\nno address,bounce,\nada@example.com,"what, ever",\nbob@example.com,bounce,12/31/2020\nx\n';
    const { id, ...counts } = await importFile(world, world.alice, file);
    expect(counts).toMatchObject({ status: 'failed', rows: 4, added: 0, invalid: 4 });
    const { text, headers } = await world.as(world.bob).get(`/imports/${id}/errors`).expect(200);
    expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8' });
    expect(text).toBe(
      'line,code,value\r\n2,invalid_email,no address\r\n3,unknown_cause,"what, ever (ada@example.com)"\r\n4,ambiguous_date,12/31/2020 (bob@example.com)\r\n5,malformed_row,x\r\n',
    );
  });

  it('fails if no row is valid, and names the most frequent error and its first line', async () => {
    const row = (date: string) => `user@example.com,${date}\n`;
    const file = `email,date\nno address,\n${row('03.04.2021')}\n${row('13.04.2021').repeat(2)}`;
    const failed = { status: 'failed', rows: 4, invalid: 4, error: { code: 'no_valid_row', line: 3 } };
    const imported = await importFile(world, world.alice, file);
    expect(imported).toMatchObject(failed);
    expect(imported.error!.message).toMatch(
      /^All 4 rows are invalid\. The most frequent error is ambiguous_date, first in line 3\. .*date_format.*dd\.mm\.yyyy/,
    );
    expect(await importFile(world, world.alice, file, { dry_run: 'true' })).toMatchObject(failed);
    const bounces = BOUNCES.replaceAll('1443651125', '30.09.2015').replaceAll('1443651126', 'x');
    const withSoftBounce = await importFile(world, world.alice, bounces, { format: 'sendgrid-bounces' });
    expect(withSoftBounce).toMatchObject({ status: 'failed', invalid: 2, skipped: { soft_bounce: 1 } });
    expect(withSoftBounce.error!.message).toMatch(/^All 2 rows that were not skipped are invalid\./);
    expect(await importFile(world, world.alice, 'email\nnobody\n')).toMatchObject({
      error: { code: 'no_valid_row', message: expect.stringMatching(/^The only row is invalid\./) },
    });
    expect(await importFile(world, world.alice, `email\n${'0a'.repeat(16)}\n`)).toMatchObject({
      error: { message: expect.stringMatching(/Hashes of addresses cannot be imported\.$/) },
    });
  });

  it.each([
    ['has no rows', 'email,cause\n', { rows: 0 }],
    ['has only rows that are skipped', 'email,cause\na@example.com,soft_bounce\n', { rows: 1 }],
    [
      'has an address that is already on the list',
      'email,cause\nold@example.com,\nx,\n',
      { unchanged: 1, invalid: 1 },
    ],
  ])('completes if the file %s', async (_what, file, counts) => {
    await suppress(world, world.alice, ['old@example.com']);
    expect(await importFile(world, world.alice, file)).toMatchObject({ status: 'completed', ...counts });
  });

  it('reads dates in the format and the time zone that the caller names', async () => {
    const file = 'email,date\na@example.com,03.04.2021 10:00\nb@example.com,2020-01-01T00:00:00Z\n';
    const options = { date_format: 'dd.mm.yyyy', time_zone: 'Europe/Berlin' };
    const key = { 'Idempotency-Key': 'dates' };
    const { body } = await upload(world, world.alice, file, options).set(key).expect(202);
    expect(await ended(world, world.alice, body.id)).toMatchObject({ added: 2, invalid: 0 });
    expect(await get('a@example.com')).toMatchObject({ created_at: '2021-04-03T08:00:00.000Z' });
    expect(await get('b@example.com')).toMatchObject({ created_at: '2020-01-01T00:00:00.000Z' });
    await upload(world, world.alice, file, options).set(key).expect(202);
    await upload(world, world.alice, file, { ...options, date_format: 'dd/mm/yyyy' })
      .set(key)
      .expect(409);
    await upload(world, world.alice, file, { date_format: 'dd.mm.yyyy' }).set(key).expect(409);
  });

  it('reads the imports of versions without these options', async () => {
    const file = 'email,date\na@example.com,2021-04-03\n';
    const key = { 'Idempotency-Key': 'old' };
    const { body } = await upload(world, world.alice, file).set(key).expect(202);
    await ended(world, world.alice, body.id);
    await world.database.query(`UPDATE imports SET plan = plan - 'dates' WHERE id = $1`, [body.id]);
    await upload(world, world.alice, file).set(key).expect(202);
    expect(await world.app.get(ImportsService).get(world.acme.id, body.id)).toMatchObject({
      plan: { format: 'csv', dates: { format: null, timeZone: 'UTC' } },
    });
  });

  it('compares a day in the named time zone with a removal', async () => {
    const [id] = await suppress(world, world.alice, ['a@example.com']);
    await world.as(world.alice).delete(`/suppressions/${id}`).expect(200);
    const [removal] = await world.database.query(
      `SELECT created_at AS at FROM suppression_changes WHERE account_id = $1 ORDER BY id DESC LIMIT 1`,
      [world.acme.id],
    );
    const [ahead, behind] = ['Pacific/Kiritimati', 'Pacific/Niue'];
    const dayIn = (zone: string, daysAgo: number) =>
      new Date(removal!.at.getTime() - daysAgo * 86_400_000).toLocaleDateString('en-GB', { timeZone: zone });
    const importDay = (day: string, zone: string) =>
      importFile(world, world.alice, `email,date\na@example.com,${day}\n`, {
        date_format: 'dd/mm/yyyy',
        time_zone: zone,
        dry_run: 'true',
      });
    for (const zone of [ahead!, behind!]) {
      expect(await importDay(dayIn(zone, 0), zone)).toMatchObject({ added: 1 });
      expect(await importDay(dayIn(zone, 1), zone)).toMatchObject({ skipped: { removed_since: 1 } });
    }
  });

  it('refuses an unknown date format or time zone', async () => {
    const refused = async (query: Record<string, string>) =>
      (await upload(world, world.alice, 'a@example.com\n', query).expect(400)).body.errors;
    expect(await refused({ date_format: 'dd.mm.yy' })).toMatchObject([{ path: 'date_format' }]);
    expect(await refused({ time_zone: 'CEST' })).toMatchObject([{ path: 'time_zone' }]);
    expect(await refused({ time_zone: 'Europe/Berlin' })).toMatchObject([{ path: 'time_zone' }]);
  });

  it('refuses rows in which a CR alone may hide others', async () => {
    const hidden = 'ada@example.com,\rbob@example.com,\nx@example.com,"x"\r,\n';
    const whole = 'a@example.com,"x\ry"\r\nb@example.com,x\r\r\n';
    const file = `email,city\n${hidden}${whole}`;
    const { id, ...counts } = await importFile(world, world.alice, file, { format: 'csv' });
    expect(counts).toMatchObject({ rows: 4, added: 2, invalid: 2 });
    const { text } = await world.as(world.bob).get(`/imports/${id}/errors`).expect(200);
    expect(text).toBe(
      'line,code,value\r\n2,malformed_row,"ada@example.com,\rbob@example.com,"\r\n3,malformed_row,"x@example.com,""x""\r,"\r\n',
    );
  });

  it('keeps the first 10,000 errors of a file, and counts all', async () => {
    const { id, invalid } = await importFile(world, world.alice, `email\n${'broken\n'.repeat(10_500)}`);
    expect(invalid).toBe(10_500);
    const { text } = await world.as(world.bob).get(`/imports/${id}/errors`).expect(200);
    expect(text.trimEnd().split('\r\n')).toHaveLength(1 + 10_000);
  });

  it('reads NDJSON whose objects contain a list', async () => {
    const file =
      '{"email":"a@example.com","items":[{"email":"inner@example.com"}]}\n{"email":"b@example.com","items":[]}\n';
    expect(await importFile(world, world.alice, file, { format: 'csv' })).toMatchObject({
      rows: 2,
      added: 2,
    });
    expect(await get('inner@example.com')).toMatchObject({ statusCode: 404 });
  });

  it('reads a plain list without a header whose addresses are quoted', async () => {
    const file = '"a@example.com"\r\n"b@example.com"\r\nc@example.com\r\n';
    expect(await importFile(world, world.alice, file)).toMatchObject({ rows: 3, added: 3, format: 'plain' });
  });

  it('reads addresses with the names of their owners, in a column or one on each line', async () => {
    const column =
      'email,date\n"""Lovelace, Ada"" <Ada@example.com>",2020-01-01\nBob <bob@example.com>,2020-01-01\n';
    expect(await importFile(world, world.alice, column)).toMatchObject({ added: 2, invalid: 0 });
    const lines =
      '"Lovelace, Ada" <ada@example.com>\nBob, B <bob@example.com>\n<cy@example.com>\nx@example.com <y@example.com>\n';
    expect(await importFile(world, world.alice, lines)).toMatchObject({
      format: 'plain',
      unchanged: 2,
      added: 1,
      invalid: 1,
    });
  });

  it('counts an address that is added while it is looked up for the next step as unchanged', async () => {
    const emails = Array.from({ length: 1_000 }, (_, index) => `user${index}@example.com`);
    const file = `email\n${[...emails, ...emails, ...emails].join('\n')}\n`;
    const { added, unchanged } = await importFile(world, world.alice, file);
    expect({ added, unchanged }).toEqual({ added: 1_000, unchanged: 2_000 });
    expect(await rowsIn('suppression_changes')).toHaveLength(1_000);
  });

  it('counts every row once, whatever the file contains', async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => {
      const email = index % 7 === 0 ? 'broken' : `user${index % 1_900}@example.com`;
      return `5.1.1,x,${email},1443651125`.replace('5.1.1', index % 5 === 0 ? '4.0.0' : '5.1.1');
    });
    const file = `status,reason,email,created\n${rows.join('\n')}`;
    const {
      rows: total,
      added,
      strengthened,
      unchanged,
      skipped,
      invalid,
    } = await importFile(world, world.alice, file, { format: 'sendgrid-bounces' });
    expect(total).toBe(2_500);
    expect(added + strengthened + unchanged + skipped.soft_bounce! + invalid).toBe(2_500);
    expect(await rowsIn('suppressions')).toHaveLength(added);
  });

  describe('of addresses that were removed', () => {
    const remove = (email: string, query: Record<string, string> = {}) =>
      world.as(world.alice).delete(`/suppressions/${email}`).query(query).expect(200);
    const file = (rows: [email: string, cause: string, date: string][]) =>
      `email,cause,date\n${rows.map((row) => `${row.join(',')}\n`).join('')}`;
    const shift = (date: string, ms: number) => new Date(Date.parse(date) + ms).toISOString();
    const causesOf = async (email: string) => {
      const { body } = await world
        .as(world.alice)
        .get(`/suppressions/${email}`)
        .query({ include: 'causes' })
        .expect(200);
      return body.causes.map(({ cause }: { cause: string }) => cause);
    };

    it('leaves out rows that are older than the removal, and counts them, in a dry run too', async () => {
      await importFile(world, world.alice, BOUNCES, { format: 'sendgrid-bounces' });
      await remove('ada@example.com');
      for (const dryRun of ['true', 'false']) {
        const query = { format: 'sendgrid-bounces', dry_run: dryRun };
        expect(await importFile(world, world.alice, BOUNCES, query)).toMatchObject({
          rows: 3,
          added: 0,
          strengthened: 0,
          unchanged: 1,
          skipped: { soft_bounce: 1, removed_since: 1 },
        });
      }
      expect(await get('ada@example.com')).toMatchObject({ statusCode: 404 });
      expect(await history('ada@example.com')).toHaveLength(2);
    });

    it('adds rows that are dated at the removal, later, or on its day', async () => {
      const emails = ['older', 'equal', 'later', 'day'].map((name) => `${name}@example.com`);
      await suppress(world, world.alice, emails);
      const removedAt: string[] = [];
      for (const email of emails) {
        await remove(email);
        removedAt.push((await history(email))[0].created_at);
      }
      const [older, equal, later, day] = removedAt as [string, string, string, string];
      const dates = [shift(older, -1), equal, shift(later, 1), day.slice(0, 10)];
      const rows = emails.map((email, index): [string, string, string] => [email, 'bounce', dates[index]!]);
      expect(await importFile(world, world.alice, file(rows))).toMatchObject({
        added: 3,
        skipped: { removed_since: 1 },
      });
      expect(await get('older@example.com')).toMatchObject({ statusCode: 404 });
    });

    it('applies the later one of two rows if the older one was removed since', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      await remove('a@example.com');
      const later = new Date(Date.now() + 60_000).toISOString();
      const rows = file([
        ['a@example.com', 'bounce', '2020-01-01'],
        ['a@example.com', 'manual', '2021-01-01'],
        ['a@example.com', 'bounce', later],
      ]);
      expect(await importFile(world, world.alice, rows)).toMatchObject({
        added: 1,
        unchanged: 0,
        skipped: { removed_since: 2 },
      });
      expect(await causesOf('a@example.com')).toEqual(['bounce']);
    });

    it('writes an address at most twice, even if hundreds of its rows are older than its removal', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      await remove('a@example.com');
      const later = new Date(Date.now() + 60_000).toISOString();
      const past = Array.from({ length: 500 }, (_, index) => shift('2020-01-01', index * 60_000));
      const rows = file([
        ...past.map((date): [string, string, string] => ['a@example.com', 'bounce', date]),
        ['a@example.com', 'bounce', later],
        ['b@example.com', 'bounce', '2020-01-01'],
      ]);
      const write = jest.spyOn(world.app.get(AdditionsService), 'suppress');
      try {
        expect(await importFile(world, world.alice, rows)).toMatchObject({
          rows: 502,
          added: 2,
          unchanged: 0,
          skipped: { removed_since: 500 },
        });
        expect(write).toHaveBeenCalledTimes(2);
      } finally {
        write.mockRestore();
      }
      expect(await causesOf('a@example.com')).toEqual(['bounce']);
    });

    it('leaves out the cause that was lifted, and keeps the others', async () => {
      const rows = file([
        ['a@example.com', 'bounce', '2020-01-01'],
        ['a@example.com', 'unsubscribe', '2020-01-01'],
        ['b@example.com', 'manual', '2020-01-01'],
      ]);
      await importFile(world, world.alice, rows);
      await remove('a@example.com', { cause: 'unsubscribe' });
      await remove('b@example.com', { cause: 'manual' });
      expect(await importFile(world, world.alice, rows)).toMatchObject({
        added: 0,
        strengthened: 0,
        unchanged: 1,
        skipped: { removed_since: 2 },
      });
      expect(await causesOf('a@example.com')).toEqual(['bounce']);
      const complaint = file([['a@example.com', 'complaint', '2020-01-01']]);
      expect(await importFile(world, world.alice, complaint)).toMatchObject({ strengthened: 1, skipped: {} });
    });

    it('adds a complaint or an unsubscribe that was not known when a record was removed', async () => {
      await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
      await remove('a@example.com');
      await remove('b@example.com');
      const rows = file([
        ['a@example.com', 'bounce', '2020-01-01'],
        ['b@example.com', 'unsubscribe', '2020-01-01'],
      ]);
      expect(await importFile(world, world.alice, rows)).toMatchObject({
        added: 1,
        skipped: { removed_since: 1 },
      });
      expect(await causesOf('b@example.com')).toEqual(['unsubscribe']);
    });

    it('knows that a weaker cause was on a record when it was removed', async () => {
      const rows = file([
        ['a@example.com', 'unsubscribe', '2020-01-01'],
        ['a@example.com', 'complaint', '2020-01-01'],
      ]);
      await importFile(world, world.alice, rows);
      await remove('a@example.com');
      expect(await importFile(world, world.alice, rows)).toMatchObject({ skipped: { removed_since: 2 } });
    });

    it('dates a row without a date by the first upload of its file', async () => {
      await importFile(world, world.alice, 'a@example.com\nb@example.com\n');
      await remove('a@example.com');
      expect(await importFile(world, world.alice, 'a@example.com\nb@example.com\n')).toMatchObject({
        added: 0,
        unchanged: 1,
        skipped: { removed_since: 1 },
      });
      expect(await importFile(world, world.alice, 'a@example.com\n')).toMatchObject({
        added: 1,
        skipped: {},
      });
    });

    it('adds the addresses of a copy without dates, but not of the same file with another mapping', async () => {
      await importFile(world, world.alice, file([['a@example.com', 'bounce', '2020-01-01']]));
      await remove('a@example.com');
      const query = { format: 'csv', mapping: 'email=email,cause=cause' };
      const same = file([['a@example.com', 'bounce', '2020-01-01']]);
      expect(await importFile(world, world.alice, same, query)).toMatchObject({
        added: 0,
        skipped: { removed_since: 1 },
      });
      const copy = 'email,cause\na@example.com,bounce\n';
      expect(await importFile(world, world.alice, copy)).toMatchObject({ added: 1, skipped: {} });
    });

    it('adds again what only a revert removed', async () => {
      const { id } = await importFile(world, world.alice, BOUNCES, { format: 'sendgrid-bounces' });
      await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
      await ended(world, world.alice, id);
      const again = await importFile(world, world.alice, BOUNCES, { format: 'sendgrid-bounces' });
      expect(again).toMatchObject({ added: 2 });
    });

    it('sees a removal that commits while it waits for the address', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const lock = await world.database.lockRow('suppressions', `account_id = ${world.acme.id}`);
      const removal = world.as(world.alice).delete('/suppressions/a@example.com').expect(200);
      const removed = removal.then(() => undefined);
      await world.database.untilWaiting();
      const { body } = await upload(world, world.alice, file([['a@example.com', 'bounce', '2020-01-01']]));
      await world.database.untilWaiting(2);
      await lock.release();
      await removed;
      expect(await ended(world, world.alice, body.id)).toMatchObject({
        added: 0,
        skipped: { removed_since: 1 },
      });
      expect(await get('a@example.com')).toMatchObject({ statusCode: 404 });
    });
  });

  it('writes nothing to the list in a dry run, and counts the same', async () => {
    const query = { format: 'sendgrid-bounces', dry_run: 'true' };
    const dry = await importFile(world, world.alice, BOUNCES, query);
    expect(dry).toMatchObject({ status: 'completed', dry_run: true, added: 2, skipped: { soft_bounce: 1 } });
    expect(await get('ada@example.com')).toMatchObject({ statusCode: 404 });
    expect(await rowsIn('suppression_changes')).toEqual([]);
    await world.as(world.alice).post(`/imports/${dry.id}/revert`).expect(409);
  });

  it('returns the same import for a repeated Idempotency-Key', async () => {
    const ids = await Promise.all(
      ['1', '2', '3'].map(async () => {
        const { body } = await upload(world, world.alice, 'a@example.com\n')
          .set('Idempotency-Key', 'monday')
          .expect(202);
        return body.id;
      }),
    );
    expect(new Set(ids).size).toBe(1);
    await ended(world, world.alice, ids[0]);
    await world.app.get(JobSweep).run();
    expect(await rowsIn('jobs')).toHaveLength(1);
    expect(await rowsIn('suppressions')).toHaveLength(1);
    const { body } = await upload(world, world.charlie, 'a@example.com\n').set('Idempotency-Key', 'monday');
    expect(body.id).not.toBe(ids[0]);
  });

  it('refuses a repeated Idempotency-Key with another file, compressed or not', async () => {
    const send = (file: string | Buffer) =>
      upload(world, world.alice, file).set('Idempotency-Key', 'monday').set('Content-Type', 'text/plain');
    const { body: first } = await send('a@example.com\n').expect(202);
    const { body: same } = await send(gzipSync('a@example.com\n'))
      .set('Content-Encoding', 'gzip')
      .expect(202);
    expect(same.id).toBe(first.id);
    const { body } = await send('b@example.com\n').expect(409);
    expect(body.name).toBe('invalid_idempotent_request');
  });

  it('refuses a repeated Idempotency-Key with other parameters', async () => {
    const topic = { name: 'News', default_subscription: 'opt_in' };
    await world.as(world.alice).post('/topics').send(topic).expect(201);
    const send = (query: Record<string, string>) =>
      upload(world, world.alice, 'a@example.com\n', query).set('Idempotency-Key', 'tuesday');
    await send({ topic: 'news' }).expect(202);
    for (const query of [
      {},
      { topic: 'news', default_cause: 'complaint' },
      { topic: 'news', date_format: 'dd.mm.yyyy' },
      { topic: 'news', dry_run: 'true' },
      { topic: 'news', name: 'Tuesday' },
    ]) {
      const { body } = await send(query as Record<string, string>).expect(409);
      expect(body.name).toBe('invalid_idempotent_request');
      expect(body.message).toContain('with another body or other parameters');
    }
  });

  it.each(['emails', 'email=Work,email=Private', 'email=', 'Work', 'email=Work,cause=work'])(
    'refuses the mapping %s',
    async (mapping) => {
      const file = 'Work,Private,emails,email\na@example.com,b@example.com,c@example.com,d@example.com\n';
      const { body } = await upload(world, world.alice, file, { mapping }).expect(400);
      expect(body.message).toContain(
        'each to a column of its own: email=Address,cause=Reason,created_at=Date',
      );
    },
  );

  it('reads a mapping to columns whose names have commas', async () => {
    const file = 'E-Mail, privat;Grund, intern\nada@example.com;complaint\n';
    const mapping = 'email=E-Mail, privat,cause=Grund, intern';
    await importFile(world, world.alice, file, { mapping });
    expect(await get('ada@example.com')).toMatchObject({ origin: 'complaint' });
  });

  it.each(['sendgrid-blocks', 'plain'])('refuses a mapping with the format %s', async (format) => {
    const query = { format, mapping: 'email=email' };
    const { body } = await upload(world, world.alice, BOUNCES, query).expect(400);
    expect(body.errors).toEqual([
      { path: 'mapping', message: expect.stringContaining('leave out mapping or format') },
    ]);
    expect(await rowsIn('jobs')).toEqual([]);
  });

  it('refuses a repeated Idempotency-Key with another mapping', async () => {
    const file = 'Work,Private\na@example.com,b@example.com\n';
    const send = (mapping: string) =>
      upload(world, world.alice, file, { mapping }).set('Idempotency-Key', 'wednesday');
    await send('email=Work').expect(202);
    await send('email=Work').expect(202);
    const { body } = await send('email=Private').expect(409);
    expect(body.name).toBe('invalid_idempotent_request');
  });

  it('returns the import if it was queued but its COMMIT was not confirmed', async () => {
    type Enqueue = (...values: unknown[]) => Promise<unknown>;
    const imports = world.app.get<{ enqueue: Enqueue }>(ImportsService);
    const enqueue = imports.enqueue.bind(imports);
    jest.spyOn(imports, 'enqueue').mockImplementationOnce(async (...values) => {
      await enqueue(...values);
      throw new Error('The connection was lost.');
    });
    const { body } = await upload(world, world.alice, 'a@example.com\n').expect(202);
    expect(await ended(world, world.alice, body.id)).toMatchObject({ status: 'completed', added: 1 });
  });

  it('counts a cell such as `constructor`, or broken JSON, as an invalid row', async () => {
    const file = 'email,cause\na@example.com,constructor\nb@example.com,bounce\n';
    expect(await importFile(world, world.alice, file)).toMatchObject({ added: 1, invalid: 1 });
    const brevo = '[{"email":"c@example.com","reason":"{broken","blockedAt":"2020-01-01T00:00:00Z"}]';
    expect(await importFile(world, world.alice, `{"count":1,"contacts":${brevo}}`)).toMatchObject({
      invalid: 1,
    });
  });

  it('reads gzip', async () => {
    const { body } = await upload(world, world.alice, gzipSync(BOUNCES), {
      filename: 'suppression_bounces.csv',
    })
      .set('Content-Encoding', 'gzip')
      .expect(202);
    expect(await ended(world, world.alice, body.id)).toMatchObject({ added: 2 });
  });

  it.each([
    ['an ambiguous file', BOUNCES, 422, 'ambiguous_file_format'],
    ['an unknown file', 'a,b\n1,2\n', 422, 'unknown_file_format'],
    ['an allowlist', 'email,detail,created_at\n', 422, 'file_refused'],
    ['an empty file', '', 422, 'unknown_file_format'],
    ['Latin-1', Buffer.from('email\nzo\xeb@example.com\n', 'latin1'), 422, 'unreadable_file'],
    ['lines that end in CR alone', 'email,cause\rada@example.com,bounce\r', 422, 'unreadable_file'],
    [
      'lines that curl -d joined',
      'email,causeada@example.com,bouncebob@example.com,bounce',
      422,
      'unreadable_file',
    ],
    ['NUL characters', Buffer.alloc(100), 422, 'unreadable_file'],
    ['quotation marks that are never closed', 'email,"cause\n'.repeat(3), 422, 'unreadable_file'],
  ])('refuses %s and leaves nothing behind', async (_what, file, status, code) => {
    const { body } = await upload(world, world.alice, file).expect(status);
    expect(body).toMatchObject({ code });
    expect(await rowsIn('jobs')).toEqual([]);
  });

  it.each([
    ['format', 'a,b\n1,2\n', 'No format has the columns: a, b.'],
    [
      'format',
      'email,name\n',
      /^No format has .* They may be those of subscribers, who would get no more mail\.$/,
    ],
    ['format', BOUNCES, /^This file can be sendgrid-bounces or .*: they have the same columns\.$/],
    ['topic', 'email,topic,subscription,created_at\n', 'The file has opt-outs of a topic.'],
    ['file', '', 'The file is empty.'],
  ])(
    'names the parameter %s in an error, and the problem without the advice: %#',
    async (parameter, file, problem) => {
      const { body } = await upload(world, world.alice, file).expect(422);
      expect(body).toMatchObject({ parameter, problem: expect.stringMatching(problem) });
      expect(body.message).toContain(`${body.problem} `);
    },
  );

  describe('of a file in a form', () => {
    const form = (query: Record<string, string> = {}) => world.as(world.alice).post('/imports').query(query);
    const refused = async (request: Test) => {
      const { body } = await request.expect(400);
      expect(await rowsIn('jobs')).toEqual([]);
      return body.message as string;
    };

    it('reads the file, and takes its name unless the query has one', async () => {
      const file = { filename: 'suppression_bounces.csv' };
      const { body } = await form().attach('file', Buffer.from(BOUNCES), file).expect(202);
      expect(body).toMatchObject({ format: 'sendgrid-bounces', filename: 'suppression_bounces.csv' });
      expect(await ended(world, world.alice, body.id)).toMatchObject({ added: 2, bytes: BOUNCES.length });
      const zipped = gzipSync('a@example.com\n');
      const again = await form().attach('file', zipped, { filename: 'list.csv.gz' }).expect(202);
      expect(again.body).toMatchObject({ format: 'plain', filename: 'list.csv', bytes: 14 });
      const named = await form({ filename: 'x.csv' })
        .attach('file', zipped, { filename: 'y.gz' })
        .expect(202);
      expect(named.body).toMatchObject({ filename: 'x.csv' });
    });

    it('reads a file of many pieces', async () => {
      const rows = Array.from({ length: 50_000 }, (_, index) => `user${index}@example.com`).join('\n');
      const { body } = await form({ dry_run: 'true' })
        .attach('file', Buffer.from(rows), 'list.csv')
        .expect(202);
      expect(body.bytes).toBe(rows.length);
    });

    it('refuses fields before and after the file, since parameters belong in the URL', async () => {
      const file = Buffer.from('a@example.com\n');
      expect(await refused(form().field('topic', 'news').attach('file', file, 'x.csv'))).toMatch(
        /^The form has a field "topic"\./,
      );
      expect(await refused(form().attach('file', file, 'x.csv').field('topic', 'news'))).toMatch(
        /^The form has a field "topic"\./,
      );
      expect(await refused(form().attach('list', file, 'x.csv'))).toMatch(/^The form has a field "list"\./);
      const large = Buffer.from('a@example.com\n'.repeat(100_000));
      expect(await refused(form().field('topic', 'news').attach('file', large, 'x.csv'))).toMatch(
        /^The form has a field "topic"\./,
      );
    });

    it('refuses a form without a file, or with several', async () => {
      const file = Buffer.from('a@example.com\n');
      const several = form().attach('file', file, 'x.csv').attach('file', file, 'y.csv');
      expect(await refused(several)).toMatch(/^The form must have exactly one file\./);
      expect(await refused(form().field('file', 'a@example.com\n'))).toMatch(/exactly one file\./);
      const empty = form().set('Content-Type', 'multipart/form-data; boundary=b').send('--b--\r\n');
      expect(await refused(empty)).toMatch(/exactly one file\./);
    });

    it('refuses a form that is cut off, or has no boundary', async () => {
      const part =
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na@example.com\n';
      const send = (type: string) => form().set('Content-Type', type).send(part);
      expect(await refused(send('multipart/form-data; boundary=b'))).toMatch(/did not arrive completely/);
      expect(await refused(send('multipart/form-data'))).toMatch(/no boundary/);
    });

    it('answers a client that sends all of a file that is refused', async () => {
      const { body } = await form()
        .attach('file', Buffer.from(`Colour,Size\n${'red,1\n'.repeat(400_000)}`), 'x.csv')
        .expect(422);
      expect(body.code).toBe('unknown_file_format');
    });
  });

  it('refuses a body that is not a file', async () => {
    const { body } = await world.as(world.alice).post('/imports').send('a=b').expect(415);
    expect(body).toMatchObject({ code: 'unsupported_file_type' });
    await upload(world, world.alice, BOUNCES).set('Content-Encoding', 'br').expect(415);
  });

  it('refuses gzip that is damaged, incomplete, or expands to endless NUL bytes', async () => {
    const whole = gzipSync(`${'ada@example.com\n'.repeat(100_000)}`);
    for (const file of [Buffer.from('no gzip'), whole.subarray(0, -20), gzipSync(Buffer.alloc(50_000_000))]) {
      const { body } = await upload(world, world.alice, file).set('Content-Encoding', 'gzip').expect(422);
      expect(body).toMatchObject({ code: 'unreadable_file' });
    }
    await world.app.get(JobSweep).run();
    expect(await rowsIn('jobs')).toEqual([]);
    expect(await rowsIn('job_pieces')).toEqual([]);
  });

  it.each([
    ['a quotation mark that is never closed', '"b@example.com\nc@example.com\n', 'unterminated_quote', 1_503],
    ['a line of 5 MB', `${'x'.repeat(5_000_000)}\n`, 'row_too_long', 1_503],
  ])('fails at %s, and counts what it applied', async (_what, end, code, line) => {
    const rows = Array.from({ length: 1_501 }, (_, index) => `user${index}@example.com,bounce\n`);
    const body = await importFile(world, world.alice, `email,cause\n${rows.join('')}${end}`);
    expect(body).toMatchObject({
      status: 'failed',
      rows: 1_501,
      added: 1_501,
      error: { code, line, message: expect.stringContaining(`Line ${line}:`) },
    });
    expect(await rowsIn('suppressions')).toHaveLength(1_501);
    await world.app.get(JobSweep).run();
    expect(await rowsIn('job_pieces')).toEqual([]);
  });

  it('fails at the end of a truncated JSON file', async () => {
    const file =
      '{"Suppressions":[{"EmailAddress":"ada@example.com","SuppressionReason":"HardBounce"},\n{"EmailA';
    expect(await importFile(world, world.alice, file)).toMatchObject({
      status: 'failed',
      added: 1,
      error: { code: 'truncated', line: 2 },
    });
  });

  it('needs the scope to write', async () => {
    await upload(world, world.bob, BOUNCES).expect(401);
    await world.as(world.bob).get('/imports').expect(200);
  });

  it('keeps the imports of accounts apart', async () => {
    const { id } = await importFile(world, world.alice, BOUNCES, { format: 'sendgrid-bounces' });
    for (const path of [`/imports/${id}`, `/imports/${id}/errors`]) {
      const { body } = await world.as(world.charlie).get(path).expect(404);
      expect(body).toMatchObject({ code: 'import_not_found' });
    }
    for (const action of ['cancel', 'revert']) {
      await world.as(world.charlie).post(`/imports/${id}/${action}`).expect(404);
    }
    const { body } = await world.as(world.charlie).get('/imports').expect(200);
    expect(body.data).toEqual([]);
  });

  it('lists imports, newest first, in pages', async () => {
    const ids: string[] = [];
    for (const email of ['a', 'b', 'c']) {
      ids.unshift((await importFile(world, world.alice, `${email}@example.com\n`)).id);
    }
    const { body: first } = await world.as(world.alice).get('/imports?limit=2').expect(200);
    expect(first).toMatchObject({ object: 'list', has_more: true, data: [{ id: ids[0] }, { id: ids[1] }] });
    const { body: second } = await world.as(world.alice).get(`/imports?limit=2&after=${ids[1]}`).expect(200);
    expect(second).toMatchObject({ has_more: false, data: [{ id: ids[2] }] });
  });

  it('logs no address', async () => {
    await importFile(world, world.alice, BOUNCES, { format: 'sendgrid-bounces' });
    expect(JSON.stringify(world.logLines())).not.toContain('example.com');
  });
});

describe('an import locks no later address while it waits for an earlier one', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const byHand = (email: string) => suppress(world, world.alice, [email]);
  const byEvent = (email: string) =>
    world.as(world.alice).post('/events').send({ type: 'complaint', email }).expect(200);
  const byImport = (email: string) =>
    importFile(world, world.alice, `email,cause\n${email},complaint\n`, { format: 'csv' });

  it.each([
    {
      title: 'with the second cause of the earlier one',
      earlier: byEvent,
      later: byHand,
      causes: ['complaint', 'unsubscribe'],
      strengthened: 2,
    },
    {
      title: 'with the second cause of the earlier one, if another import added the later one',
      earlier: byEvent,
      later: byImport,
      causes: ['complaint', 'unsubscribe'],
      strengthened: 1,
    },
    {
      title: 'with its only cause, if another import added the later one',
      earlier: byHand,
      later: byImport,
      causes: ['complaint'],
      strengthened: 1,
    },
  ])('$title', async ({ title, earlier, later, causes, strengthened }) => {
    const [first, last] = ['ada', 'zoe'].map((name) => `${name}-${title.length}@example.com`) as [
      string,
      string,
    ];
    await earlier(first);
    await later(last);
    const { release } = await world.database.lockRow('suppressions', `email = '${first}'`);
    const rows = causes.map((cause) => `${first},${cause}\n`).join('');
    const { body } = await upload(world, world.alice, `email,cause\n${last},complaint\n${rows}`).expect(202);
    await world.database.untilWaiting();
    const unlocked = await world.database.query(
      'SELECT email FROM suppressions WHERE email = $1 FOR UPDATE SKIP LOCKED',
      [last],
    );
    await release();
    expect(await ended(world, world.alice, body.id)).toMatchObject({ status: 'completed', strengthened });
    expect(unlocked).toEqual([{ email: last }]);
  });
});
