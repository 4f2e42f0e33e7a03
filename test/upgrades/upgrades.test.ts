import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import request from 'supertest';
import { withMigrations } from '../../src/database/data-source.js';
import { describeSchema } from '../../src/database/startup/known-history.js';
import { migrate } from '../../src/database/startup/migrate.js';
import { SCHEMA } from '../../src/schema.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

interface Answer extends Request {
  status: number;
  cursor?: string;
  answer: object | string;
}

/** What `record.js` has recorded. */
interface Recorded {
  fixture: {
    key: string;
    otherKey: string;
    cookie: string;
    invitation: string;
    unclicked: string;
    repeated: Request;
  };
  answers: Answer[];
}

describe.each(['0.1.0', '0.2.0'])('a database of %s', (release) => {
  const folder = `test/upgrades/${release}`;
  const { fixture, answers }: Recorded = JSON.parse(readFileSync(`${folder}/answers.json`, 'utf8'));
  let database: TestDatabase;
  let service: TestApp;

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(readFileSync(`${folder}/dump.sql`, 'utf8'));
    await client.end();
  });
  afterAll(async () => {
    await service?.close();
    await database.drop();
  });

  const send = ({ method, path, headers = {}, body }: Request, key?: string) => {
    const agent = request(service.url);
    const sent = (method === 'GET' ? agent.get(path) : agent.post(path)).set(headers);
    return (key ? sent.set('Authorization', `Bearer ${key}`) : sent).send(body);
  };
  const get = async (path: string, key: string) =>
    (await send({ method: 'GET', path }, key).expect(200)).body;

  it('has rows in every table', async () => {
    const tables = await database.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(tables.length).toBeGreaterThan(30);
    const empty = [];
    for (const { name } of tables) {
      const rows = await database.query(`SELECT FROM ${name} LIMIT 1`);
      empty.push(...(rows.length === 0 ? [name] : []));
    }
    expect(empty).toEqual([]);
  });

  it('has the schema of a new database after its upgrade', async () => {
    const ran = await database.query<{ name: string }>('SELECT name FROM migrations');
    const names = SCHEMA.migrations.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(ran.map(({ name }) => name)));
    expect(await migrate(database.url, SCHEMA)).toHaveLength(names.length - ran.length);
    const fresh = await createTestDatabase();
    try {
      expect(await withMigrations(database.url, SCHEMA, describeSchema)).toEqual(
        await withMigrations(fresh.url, SCHEMA, describeSchema),
      );
    } finally {
      await fresh.drop();
    }
    service = await startTestApp(database.url, { PUBLIC_URL: 'https://lists.example.com' });
  });

  const titled = answers.map(
    (one) => [[one.method, one.path, JSON.stringify(one.body)].join(' ').trim(), one] as const,
  );
  it.each(titled)('answers %s as before', async (_title, { status, cursor, answer, ...asked }) => {
    const response = await send(asked, fixture.key);
    expect(response.status).toBe(status);
    expect(response.headers['changes-cursor']).toBe(cursor);
    expect(readAnswer(response.text)).toMatchObject(
      readAnswer(typeof answer === 'string' ? answer : JSON.stringify(answer)),
    );
  });

  it('finishes the imports that were interrupted, and numbers the changes that had no position', async () => {
    const readImports = async () => (await get('/imports', fixture.otherKey)).data;
    await until(async () =>
      (await readImports()).every(({ status }: { status: string }) => status === 'completed'),
    );
    expect(await readImports()).toMatchObject([{ added: 1 }, { added: 1 }]);
    const { data } = await get('/changes', fixture.otherKey);
    const emails = ['pending@example.com', 'running@example.com', 'waiting@example.com'];
    expect(data.map(({ email }: { email: string }) => email)).toEqual(emails);
  });

  it('still knows the secret of a source, and the events that it received', async () => {
    const before = await get('/events?limit=100', fixture.key);
    await send(fixture.repeated).expect(200);
    expect(await get('/events?limit=100', fixture.key)).toEqual(before);
  });

  it('keeps the links of emails, invitations, and sessions valid', async () => {
    const { text } = await send({ method: 'GET', path: fixture.unclicked }).expect(200);
    expect(text).toContain('Acme');
    await send({ method: 'POST', path: fixture.unclicked }).expect(200);
    await send({ method: 'GET', path: '/suppressions/reader@example.com' }, fixture.key).expect(200);
    const Cookie = fixture.cookie;
    const people = await send({ method: 'GET', path: '/console/people', headers: { Cookie } }).expect(200);
    expect(people.text).toContain('viewer@acme.example');
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    await send({ method: 'POST', path: fixture.invitation, headers }).expect(303);
  });
});

/** JSON, JSON lines, or other text by lines. New fields may be added to objects. */
function readAnswer(text: string): object {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => (line.startsWith('{') ? JSON.parse(line) : line));
}
