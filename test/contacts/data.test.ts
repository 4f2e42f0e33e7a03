import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createGunzip, gzipSync } from 'node:zlib';
import { runClient } from '../../src/cli/client/run.js';
import { PLACES } from '../../src/contacts/data/places.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { contactIdOf } from '../../src/topics/contact.js';
import { runCommand } from '../support/command-line.js';
import { signIn } from '../support/console.js';
import { importFile } from '../support/imports.js';
import { fillPlaces, OTHER, type Filled } from '../support/places.js';
import { until } from '../support/until.js';
import { TABLES_WITHOUT_ADDRESSES } from '../support/tables-without-addresses.js';
import { createKey, createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const ADA = 'ada@example.com';

interface Data {
  email: string;
  contact_id: string;
  tables: { table: string; origin: string; kept: string; data: Element[] }[];
}

interface Element {
  is_quote: boolean;
  row: Record<string, unknown>;
}

let world: World;
let service: World;
beforeAll(async () => (service = await createWorld()));
beforeEach(async () => (world = await withNewAccounts(service)));
afterAll(() => service.close());

const read = async (contact: string, apiKey = world.alice): Promise<Data> =>
  (
    await world
      .as(apiKey)
      .get(`/contacts/${encodeURIComponent(contact)}/data`)
      .expect(200)
  ).body;
const rowsIn = (data: Data, name: string) => data.tables.find(({ table }) => table === name)!.data;

describe('the catalog of addresses', () => {
  it('names every text column of the database exactly once', async () => {
    const columns = await service.database.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name
      FROM information_schema.columns
      WHERE table_schema = current_schema()
        AND udt_name IN ('text', 'varchar', 'bpchar', 'json', 'jsonb', 'bytea', 'xml', '_text', '_varchar', '_bytea', '_jsonb')`,
    );
    const named = [
      ...PLACES.flatMap(({ table, key, address, texts = [], others = [] }) =>
        [
          ...new Set([
            ...Object.keys(key).filter((column) => key[column] === 'text'),
            address,
            ...texts,
            ...others,
          ]),
        ]
          .filter((column) => column !== undefined && /^(?!unit_kind|\()/.test(column))
          .map((column) => `${table}.${column}`),
      ),
      ...Object.entries(TABLES_WITHOUT_ADDRESSES).flatMap(([table, names]) =>
        names.map((column) => `${table}.${column}`),
      ),
    ];
    expect(named.sort()).toEqual(columns.map(({ name }) => name).sort());
  });
});

describe('GET /contacts/:contact/data', () => {
  const elementOf = (data: Data, { place, column }: Filled): Element | undefined =>
    rowsIn(data, place.table).find(({ is_quote, row }) =>
      column === undefined ? !is_quote : is_quote && (column === 'data' || row[column] !== undefined),
    );

  it('finds a row in every table, and a quotation in every column of texts', async () => {
    const id = contactIdOf(world.acme.id, ADA as EmailAddress);
    const filled = await fillPlaces(world, ADA, id);
    const data = await read('Ada@Example.com');
    expect(data).toMatchObject({ object: 'contact_data', email: ADA, contact_id: id });
    expect(data.tables.map(({ table }) => table)).toEqual(PLACES.map(({ table }) => table));
    const missing = filled.filter((place) => !elementOf(data, place));
    expect(missing.map(({ place, column }) => `${place.table}.${column}`)).toEqual([]);
    const found = data.tables.flatMap((table) => table.data);
    expect(found).toHaveLength(filled.length);
    expect(await read(id)).toEqual({ ...data, generated_at: expect.any(String) });
  });

  it('does not show the addresses of others in a quotation', async () => {
    await fillPlaces(world, ADA, contactIdOf(world.acme.id, ADA as EmailAddress));
    const text = JSON.stringify(await read(ADA));
    expect(text).toContain('[another address] and ADA@EXAMPLE.COM');
    expect(text).not.toContain(OTHER);
  });

  it('does not show the addresses of others in its own rows', async () => {
    const evidence = { consent: { kind: 'our_error', reference: 'bob@other.org' } };
    await world.database.query(
      `INSERT INTO suppression_changes (account_id, action, cause, email, suppression_id, actor_type, actor_name, note, evidence)
      VALUES ($1, 'added', 'manual', $2, uuid_v7(), 'person', 'bob@other.org', $3, $4)`,
      [world.acme.id, ADA, `${ADA} or "bob smith"@other.org`, evidence],
    );
    const [change] = rowsIn(await read(ADA), 'suppression_changes');
    expect(change!.row).toMatchObject({
      email: ADA,
      actor_name: '[another address]',
      note: `${ADA} or [another address]`,
      evidence: { consent: { kind: 'our_error', reference: '[another address]' } },
    });
  });

  it('has the columns of a row, where it comes from, and how long it is kept', async () => {
    const [suppressionId] = await suppress(world, world.alice, [ADA]);
    const data = await read(ADA);
    const [change] = rowsIn(data, 'suppression_changes');
    expect(change).toEqual({
      is_quote: false,
      row: expect.objectContaining({
        email: ADA,
        suppression_id: suppressionId,
        actor_name: 'alice',
        cause: 'manual',
      }),
    });
    expect(change!.row).not.toHaveProperty('account_id');
    for (const { origin, kept } of data.tables) {
      expect(origin).not.toBe('');
      expect(kept).not.toBe('');
    }
  });

  it('finds an address whose characters two pieces of a file share', async () => {
    const email = 'jörg@example.com';
    const { id } = await importFile(world, world.alice, 'other@example.com\n');
    const file = Buffer.from(`email\n${email}\n`);
    const border = file.indexOf('ö') + 1;
    const pieces = [file.subarray(0, border), file.subarray(border)];
    for (const [number, piece] of pieces.entries()) {
      await world.database.query(
        'INSERT INTO job_pieces (account_id, job_id, number, data) VALUES ($1, $2, $3, $4)',
        [world.acme.id, id, 1_000 + number, gzipSync(piece)],
      );
    }
    expect(rowsIn(await read(email), 'job_pieces')).toEqual([
      { is_quote: true, row: { job_id: id, number: 1_001 } },
    ]);
  });

  it('reads more rows than one statement', async () => {
    await world.database.query(
      `INSERT INTO rule_changes (account_id, action, effect, actor_type, actor_name, rule_id, pattern)
      SELECT $1, 'created', 'block', 'system', 'test', uuid_v7(), CASE WHEN n % 2 = 0 THEN $2 ELSE 'x' END
      FROM generate_series(1, 2500) AS n`,
      [world.acme.id, ADA],
    );
    const rows = rowsIn(await read(ADA), 'rule_changes');
    expect(new Set(rows.map(({ row }) => row.id)).size).toBe(1_250);
  });

  it('sends white space for rows that are about nobody it looks for', async () => {
    await world.database.query(
      `INSERT INTO suppression_changes (account_id, action, cause, email, suppression_id, actor_type, actor_name)
      SELECT $1, 'added', 'manual', number || '@example.org', uuid_v7(), 'system', 'test'
      FROM generate_series(1, 1001) AS number`,
      [world.acme.id],
    );
    const { text } = await world.as(world.alice).get(`/contacts/${ADA}/data`).expect(200);
    expect(text).toMatch(/"table":"suppression_changes"[^[]*\[\n\n\n+\]/);
    expect(JSON.parse(text).email).toBe(ADA);
  });

  it('sends what it has while it reads on, even compressed', async () => {
    const lock = await world.database.lock('lift_totals');
    try {
      const headers = { Authorization: `Bearer ${world.alice}`, 'Accept-Encoding': 'gzip' };
      const request = get(`${world.url}/contacts/${ADA}/data`, { headers });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const text = response.pipe(createGunzip()).setEncoding('utf8');
      let received = '';
      text.on('data', (piece: string) => (received += piece)).on('error', () => {});
      await until(async () => received.includes('"table":"lift_totals"'));
      request.destroy();
    } finally {
      await lock.release();
    }
  });

  it('has nothing about an unknown address, nor about an address of another account', async () => {
    await suppress(world, world.alice, [ADA]);
    for (const data of [await read('nobody@example.com'), await read(ADA, world.charlie)]) {
      expect(data.tables.flatMap((table) => table.data)).toEqual([]);
    }
  });

  it('is recorded in the audit log without the address', async () => {
    await read(ADA);
    const { text } = await world.as(world.alice).get('/audit-log').expect(200);
    expect(text).toContain('"action":"contact.data_read"');
    expect(text).not.toContain(ADA);
  });

  it('requires the scope contacts:read, and a known id or an address', async () => {
    const path = `/contacts/${ADA}/data`;
    await world
      .as(await createKey(world, ['suppressions:read']))
      .get(path)
      .expect(401);
    await world
      .as(await createKey(world, ['contacts:read']))
      .get(path)
      .expect(200);
    await world.as(world.alice).get('/contacts/00000000-0000-7000-8000-000000000000/data').expect(404);
    await world.as(world.alice).get('/contacts/ada/data').expect(400);
  });

  it('is printed by suppressions person access', async () => {
    await suppress(world, world.alice, [ADA]);
    const settings = { SUPPRESSIONS_URL: world.url, SUPPRESSIONS_API_KEY: world.alice };
    const ended = await runCommand(['person', 'access', 'Ada <ada@example.com>'], settings, '/', '', {
      program: runClient,
    });
    expect(ended.code).toBe(0);
    const data = JSON.parse(ended.stdout) as Data;
    expect(rowsIn(data, 'suppressions')).toHaveLength(1);
  });

  it('is downloaded by admins in the console', async () => {
    const { database, acme } = service;
    await database.query(
      `INSERT INTO rules (account_id, effect, pattern) VALUES ($1, 'block', $2) ON CONFLICT DO NOTHING`,
      [acme.id, ADA],
    );
    const admin = await signIn(service, 'admin');
    const page = await admin.get('/console').query({ q: ADA }).expect(200);
    expect(page.text).toContain('/console/personal-data?email=ada%40example.com&amp;account=acme');
    const { body } = await admin.get('/console/personal-data').query({ email: ADA }).expect(200);
    expect(rowsIn(body as Data, 'rules')).toHaveLength(1);
    await admin.get('/console/personal-data').query({ email: 'ada' }).expect(400);
    const editor = await signIn(service, 'editor', 'eve@acme.example');
    expect((await editor.get('/console').query({ q: ADA }).expect(200)).text).not.toContain('Personal data');
    await editor.get('/console/personal-data').query({ email: ADA }).expect(403);
  });
});
