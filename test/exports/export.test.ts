import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { importFile } from '../support/imports.js';
import { until } from '../support/until.js';
import { createWorld, setCause, suppress, withNewAccounts, type World } from '../support/world.js';

/** Accepted wherever an id is accepted, though RFC 9562 defines no UUID like it. */
const ID_OF_NO_VERSION = '11111111-1111-1111-1111-111111111111';
const HEADER = 'object,id,email,origin,source_id,created_at,cause,causes,expires_at,note';

describe('GET /exports', () => {
  let service: World;
  let world: World;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(() => service.close());

  const read = async (query = '', key = world.alice) =>
    (await world.as(key).get(`/exports${query}`).buffer(true).expect(200)).text;
  const linesOf = async (query = '') => (await read(query)).trimEnd().split(/\r?\n/);

  it('writes every record with its cause, date and note, oldest first', async () => {
    await importFile(world, world.alice, 'email,cause,date\nold@example.com,unsubscribe,2020-01-01\n');
    await world
      .as(world.alice)
      .post('/suppressions')
      .send({ email: 'new@example.com', note: 'by "phone"\nat noon' });
    const { body } = await world.as(world.alice).get('/suppressions');
    const [added, old] = body.data;
    expect(await read()).toBe(
      `${HEADER}\r\n` +
        `suppression,${old.id},old@example.com,manual,,2020-01-01T00:00:00.000Z,unsubscribe,unsubscribe,,\r\n` +
        `suppression,${added.id},new@example.com,manual,,${added.created_at},manual,manual,,"by ""phone""\nat noon"\r\n`,
    );
    const [first] = await linesOf('?format=ndjson');
    expect(JSON.parse(first!)).toEqual({
      ...old,
      cause: 'unsubscribe',
      causes: ['unsubscribe'],
      expires_at: null,
      note: null,
    });
  });

  it('reads one note for each record, however many it has', async () => {
    const notes = 20_000;
    await suppress(world, world.alice, ['ada@example.com']);
    await world.database.query(
      `INSERT INTO suppression_changes (account_id, action, suppression_id, email, cause, actor_type, actor_name, note)
      SELECT account_id, 'cause_added', id, email, 'bounce', 'system', 'test', 'note ' || number
      FROM suppressions, generate_series(1, $2::integer) AS number
      WHERE account_id = $1
      ORDER BY number`,
      [world.acme.id, notes],
    );
    const entriesRead = async () => {
      const [row] = await world.database.query<{ entries: string }>(
        `SELECT idx_tup_read AS entries FROM pg_stat_user_indexes WHERE indexrelname = 'suppression_changes_note_idx'`,
      );
      return Number(row!.entries);
    };
    const before = await entriesRead();
    expect(JSON.parse((await linesOf('?format=ndjson'))[0]!).note).toBe(`note ${notes}`);
    // PostgreSQL counts what a statement read some time after it.
    await until(async () => (await entriesRead()) > before);
    expect((await entriesRead()) - before).toBeLessThan(notes / 100);
  });

  it('writes what recipients chose for a topic, on request', async () => {
    const as = world.as(world.alice);
    for (const name of ['News', 'Offers']) {
      await as.post('/topics').send({ name, default_subscription: 'opt_in' }).expect(201);
    }
    const set = (email: string, id: string, subscription: string) =>
      as.patch(`/contacts/${email}/topics`).send([{ id, subscription }]).expect(200);
    await set('b@example.com', 'news', 'opt_out');
    await set('a@example.com', 'news', 'opt_out');
    await set('a@example.com', 'offers', 'opt_out');
    await set('b@example.com', 'news', 'opt_in');
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect((await linesOf('?topic=news&format=ndjson')).map((line) => JSON.parse(line))).toEqual([
      { email: 'a@example.com', topic: 'news', subscription: 'opt_out', created_at: at },
      { email: 'b@example.com', topic: 'news', subscription: 'opt_in', created_at: at },
    ]);
    const [header, line] = await linesOf('?topic=offers');
    expect([header, line?.slice(0, 29)]).toEqual([
      'email,topic,subscription,created_at',
      'a@example.com,offers,opt_out,',
    ]);
    await as.get('/exports?topic=nothing').expect(404);
    await as.get('/exports?topic=news&format=ses').expect(400);
    await as.get('/exports?topic=news&origin=bounce').expect(400);
  });

  it('writes choices for a spreadsheet, and an import of the file removes the marks', async () => {
    for (const key of [world.alice, world.charlie]) {
      await world
        .as(key)
        .post('/topics')
        .send({ name: 'News', key: '-news', default_subscription: 'opt_in' })
        .expect(201);
    }
    const email = '+list@example.com';
    const path = `/contacts/${encodeURIComponent(email)}/topics`;
    await world
      .as(world.alice)
      .patch(path)
      .send([{ id: '-news', subscription: 'opt_out' }])
      .expect(200);
    const file = await read('?topic=-news&spreadsheet=true');
    expect(file).toMatch(
      /^\ufeffemail,topic,subscription,created_at,spreadsheet\r\n'\+list@example\.com,'-news,/,
    );
    await importFile(world, world.charlie, file, { topic: '-news' });
    const { body } = await world.as(world.charlie).get(path).expect(200);
    expect(body.data).toMatchObject([{ key: '-news', subscription: 'opt_out' }]);
  });

  it('writes when a suppression ends, and an import of the file keeps it', async () => {
    const expires_at = '2999-01-01T00:00:00.000Z';
    const post = (path: string, body: object, apiKey = world.alice) => world.as(apiKey).post(path).send(body);
    await post('/suppressions', { email: 'ada@example.com', expires_at }).expect(201);
    await post('/suppressions', { email: 'eve@example.com', expires_at }).expect(201);
    await post('/events', { type: 'complaint', email: 'eve@example.com' }).expect(200);
    const lines = await linesOf();
    expect(lines[1]).toMatch(/,manual,manual,2999-01-01T00:00:00\.000Z,$/);
    expect(lines[2]).toMatch(/,complaint,complaint manual,2999-01-01T00:00:00\.000Z,/);
    await importFile(world, world.charlie, await read());
    const { body } = await world
      .as(world.charlie)
      .get('/suppressions/ada@example.com')
      .query({ include: 'causes' });
    expect(body.causes).toMatchObject([{ cause: 'manual', expires_at }]);
    await world.database.query(`UPDATE suppressions SET expires_at = now() WHERE expires_at IS NOT NULL`);
    const [, complaint, ...none] = await linesOf();
    expect(complaint).toMatch(/,complaint,complaint,,/);
    expect(none).toEqual([]);
  });

  it('writes the latest note, which a later change without a note does not replace', async () => {
    const header = 'email,origin,source_id,created_at,cause,causes,expires_at,note';
    const importNote = (cause: string, note: string) =>
      importFile(world, world.alice, `${header}\nada@example.com,,,2020-01-01,${cause},${cause},,${note}\n`);
    const exportedNote = async () => JSON.parse((await linesOf('?format=ndjson'))[0]!).note;
    await importNote('bounce', 'no such user');
    await importNote('manual', 'asked on the phone');
    expect(await exportedNote()).toBe('asked on the phone');
    await importNote('complaint', '');
    expect(await exportedNote()).toBe('asked on the phone');
    await world.as(world.alice).delete('/suppressions/ada@example.com').expect(200);
    await suppress(world, world.alice, ['ada@example.com']);
    expect(await exportedNote()).toBeNull();
  });

  it('has only a header for an empty list', async () => {
    expect(await read()).toBe(`${HEADER}\r\n`);
    expect(await read('?format=ndjson')).toBe('');
  });

  it('filters', async () => {
    const file = `email,cause,date
a@example.com,bounce,2020-01-01
b@example.org,complaint,2021-01-01
c@example.org,unsubscribe,2022-01-01
`;
    await importFile(world, world.alice, file);
    const emails = async (query: string) => (await linesOf(`?format=sendgrid&${query}`)).slice(1).join(' ');
    expect(await emails('origin=manual')).toBe('c@example.org');
    expect(await emails('cause=complaint')).toBe('b@example.org');
    expect(await emails('domain=example.org')).toBe('b@example.org c@example.org');
    expect(await emails('created_after=2020-06-01&created_before=2021-06-01')).toBe('b@example.org');
    expect(await emails('cause=bounce&domain=example.org')).toBe('');
  });

  it('writes what providers import', async () => {
    const file = 'email,cause,date\na@example.com,bounce,2020-01-01\nb@example.com,complaint,2021-01-01\n';
    await importFile(world, world.alice, file);
    expect(await linesOf('?format=ses')).toEqual(['a@example.com,BOUNCE', 'b@example.com,COMPLAINT']);
    expect(await linesOf('?format=sendgrid')).toEqual(['email', 'a@example.com', 'b@example.com']);
    expect(await linesOf('?format=postmark')).toEqual(['EmailAddress', 'a@example.com', 'b@example.com']);
    expect(await linesOf('?format=mailgun&cause=complaint')).toEqual([
      'address,created_at',
      'b@example.com,"Fri, 01 Jan 2021 00:00:00 GMT"',
    ]);
    const { body } = await world.as(world.alice).get('/exports?format=mailgun').expect(400);
    expect(body.errors).toMatchObject([{ path: 'cause' }]);
    for (const algorithm of ['sha256', 'md5']) {
      expect(await linesOf(`?format=${algorithm}&cause=bounce`)).toEqual([
        createHash(algorithm).update('a@example.com').digest('hex'),
      ]);
    }
  });

  it('filters by any cause, so that a record is in the file of each of its causes', async () => {
    const as = world.as(world.alice);
    const emails = async (query: string) =>
      (await linesOf(query)).slice(1).map((line) => line.split(',', 1)[0]);
    for (const type of ['bounce', 'unsubscribe', 'complaint']) {
      await as.post('/events').send({ type, email: 'ada@example.com' }).expect(200);
      await as
        .post('/events')
        .send({ type, email: `only-${type}@example.com` })
        .expect(200);
    }
    const expires_at = '2999-01-01T00:00:00.000Z';
    await as.post('/suppressions').send({ email: 'only-unsubscribe@example.com', expires_at }).expect(200);
    for (const cause of ['bounce', 'unsubscribe', 'complaint']) {
      const listed = ['ada@example.com', `only-${cause}@example.com`];
      expect(await emails(`?format=mailgun&cause=${cause}`)).toEqual(listed);
      const { body } = await as.get('/suppressions/count').query({ cause }).expect(200);
      expect(body.total).toBe(listed.length);
    }
    expect(await emails('?format=sendgrid&cause=manual')).toEqual(['only-unsubscribe@example.com']);
    expect(await emails('?format=sendgrid&cause=bounce&origin=bounce')).toEqual(['only-bounce@example.com']);
    await world.database.query(`UPDATE suppressions SET expires_at = now() WHERE expires_at IS NOT NULL`);
    expect(await emails('?format=sendgrid&cause=manual')).toEqual([]);
  });

  it('quotes formulas only for spreadsheets', async () => {
    await suppress(world, world.alice, ['=cmd@example.com']);
    expect(await read()).toContain(',=cmd@example.com,');
    expect(await read('?spreadsheet=true')).toContain(`,'=cmd@example.com,`);
  });

  it('marks files for spreadsheets as UTF-8, and an import removes the mark', async () => {
    await suppress(world, world.alice, ['größe@example.com']);
    expect(await read()).toMatch(/^object,/);
    const file = await read('?spreadsheet=true');
    expect(file).toMatch(/^\ufeffobject,/);
    await importFile(world, world.charlie, file, { format: 'export' });
    await world.as(world.charlie).get('/suppressions/größe@example.com').expect(200);
  });

  it('quotes formulas for spreadsheets that split cells at semicolons, also behind quotation marks', async () => {
    const note = `550 unknown; =cmd|'/C calc'!A1\n+1;2-1;"=1+1;'"=1`;
    const emails = ['"a;@b"@example.com'];
    await world.as(world.alice).post('/suppressions/batch/add').send({ emails, note }).expect(201);
    const file = await read('?spreadsheet=true');
    expect(file.split(/[;\n]/).filter((cell) => /^[\s"]*[=+\-@]/.test(cell))).toEqual([]);
    await importFile(world, world.charlie, file, { format: 'export' });
    const path = `/suppressions/${encodeURIComponent(emails[0]!)}/history`;
    const { body } = await world.as(world.charlie).get(path).expect(200);
    expect(body.data).toMatchObject([{ note }]);
  });

  it.each(['format=ndjson', 'format=sendgrid&cause=bounce', 'format=ndjson&topic=news'])(
    'refuses to quote formulas with %s',
    async (parameters) => {
      const as = world.as(world.alice);
      await as.post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
      const { body } = await as.get(`/exports?${parameters}&spreadsheet=true`).expect(400);
      expect(body.errors).toEqual([{ path: 'spreadsheet', message: 'must be false unless format is csv' }]);
      await as.get(`/exports?${parameters}&spreadsheet=false`).expect(200);
    },
  );

  it('for a spreadsheet is imported without the marks', async () => {
    const emails = ['+list@example.com', "'+quote@example.com", '=cmd@example.com'];
    await suppress(world, world.alice, emails);
    await importFile(world, world.charlie, await read('?spreadsheet=true'), { format: 'export' });
    const { body } = await world.as(world.charlie).get('/suppressions').expect(200);
    expect(body.data.map(({ email }: { email: string }) => email).sort()).toEqual([...emails].sort());
  });

  it('is the same list after an import into an empty account', async () => {
    const email = fc
      .tuple(fc.stringMatching(/^[a-z0-9+=.-]{1,12}$/), fc.constantFrom('example.com', 'bücher.example'))
      .map(([name, domain]) => `${name}@${domain}`);
    const cause = fc.constantFrom('bounce', 'complaint', 'unsubscribe', 'manual');
    const date = fc.date({ min: new Date('2001-01-01'), max: new Date('2026-01-01'), noInvalidDate: true });
    const list = fc.uniqueArray(fc.tuple(email, cause, date), { selector: ([one]) => one, maxLength: 30 });
    const withoutIds = (text: string) =>
      text
        .replace(/^suppression,[^,]*,/gm, '')
        .split('\r\n')
        .sort();
    await fc.assert(
      fc.asyncProperty(list, async (records) => {
        await world.database.query('DELETE FROM suppressions');
        const rows = records.map(([one, two, three]) => `${one},${two},${three.toISOString()}\n`);
        await importFile(world, world.alice, `email,cause,date\n${rows.join('')}`, { format: 'csv' });
        const exported = await read();
        if (records.length > 0) {
          await importFile(world, world.charlie, exported);
        }
        expect(withoutIds(await read('', world.charlie))).toEqual(withoutIds(exported));
      }),
      { numRuns: 5 },
    );
  });

  it('keeps all causes and their end through an export and an import', async () => {
    const causes = fc.uniqueArray(fc.constantFrom('complaint', 'unsubscribe', 'manual', 'bounce'), {
      minLength: 1,
    });
    const expiresAt = fc.option(
      fc.date({ min: new Date('2100-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }),
    );
    const list = fc.array(fc.tuple(causes, expiresAt, fc.constantFrom('', 'moved')), {
      minLength: 1,
      maxLength: 30,
    });
    const order = ['complaint', 'unsubscribe', 'manual', 'bounce'];
    await fc.assert(
      fc.asyncProperty(list, async (records) => {
        await world.database.query('DELETE FROM suppressions');
        const expected = records.map(([listed, end, note], index) => {
          const strongestFirst = order.filter((cause) => listed.some((one) => one === cause));
          const canEnd = listed.some((cause) => cause === 'bounce' || cause === 'manual');
          const second = String(index).padStart(2, '0');
          const hasEmail = ['complaint', 'bounce'].includes(strongestFirst[0]!);
          return {
            email: `user${index}@example.com`,
            source_id: hasEmail ? ID_OF_NO_VERSION : null,
            cause: strongestFirst[0],
            causes: strongestFirst,
            expires_at: canEnd && end ? end.toISOString() : null,
            note: note || null,
            created_at: `2020-01-01T00:00:${second}.000Z`,
          };
        });
        const toFile = (rows: object[]) =>
          rows.map((row) => `${JSON.stringify({ origin: 'manual', ...row })}\n`).join('');
        const file = toFile(expected);
        expect(await importFile(world, world.alice, file)).toMatchObject({
          added: records.length,
          invalid: 0,
        });
        const exported = await read('?format=ndjson');
        expect(
          exported
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
        ).toMatchObject(expected);
        await importFile(world, world.charlie, await read());
        const again = await read('?format=ndjson', world.charlie);
        expect(
          again
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
        ).toMatchObject(expected);
      }),
      { numRuns: 5 },
    );
  });

  it('has every record that stays exactly once while others come and go', async () => {
    const names = Array.from({ length: 9_000 }, (_, index) => `stays${index}@example.com\n`);
    await importFile(world, world.alice, names.join(''));
    const end = new AbortController();
    const others = (async () => {
      for (let index = 0; !end.signal.aborted; index++) {
        await suppress(world, world.alice, [`comes${index}@example.com`]);
        await world.as(world.alice).delete(`/suppressions/comes${index}@example.com`).expect(200);
      }
    })();
    const lines = await linesOf('?format=sendgrid');
    end.abort();
    await others;
    const stayed = lines.filter((line) => line.startsWith('stays'));
    expect(new Set(stayed).size).toBe(9_000);
    expect(stayed).toHaveLength(9_000);
  });

  it('is compressed for those who accept it', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const response = await fetch(`${world.url}/exports`, {
      headers: { Authorization: `Bearer ${world.alice}`, 'Accept-Encoding': 'gzip' },
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toContain('ada@example.com');
  });

  it('cuts the connection when the database fails in the middle', async () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `user${index}@example.com\n`);
    await importFile(world, world.alice, names.join(''));
    const request = httpRequest(`${world.url}/exports`, {
      headers: { Authorization: `Bearer ${world.alice}`, 'Accept-Encoding': 'identity' },
    });
    request.end();
    const [response] = await once(request, 'response');
    const lock = await world.database.lock('suppressions');
    const failed = once(response, 'error');
    response.resume();
    await world.database.cancelWaiting();
    const [error] = await failed;
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(response.complete).toBe(false);
    await lock.release();
    await until(async () => (await world.anyone.get('/readyz')).status === 200);
  });

  it('answers 503 when the database fails at the beginning', async () => {
    const lock = await world.database.lock('suppressions');
    const refused = world
      .as(world.alice)
      .get('/exports')
      .then(({ status }) => status);
    await world.database.cancelWaiting();
    expect(await refused).toBe(503);
    await lock.release();
  });

  it('shows an account only its own list', async () => {
    const [id] = await suppress(world, world.alice, ['ada@example.com']);
    await setCause(world, id!, 'bounce', null);
    expect(await read('', world.charlie)).toBe(`${HEADER}\r\n`);
    expect(await read('', world.bob)).toContain('ada@example.com');
  });
});
