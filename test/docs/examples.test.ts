import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JobSweep } from '../../src/jobs/job-sweep.js';
import { importFile } from '../support/imports.js';
import { countLift } from '../support/lifts.js';
import { until } from '../support/until.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const PAGES = [
  'README.md',
  'docs/audit-log.md',
  'docs/changes.md',
  'docs/contacts.md',
  'docs/files.md',
  'docs/privacy.md',
  'docs/unsubscribe.md',
  'docs/verdicts.md',
  'docs/webhooks.md',
];

/** What the pages suppose to be in the working directory. */
const FILES = {
  'campaign.csv': 'email,name\nada@example.com,Ada\nnew@example.com,Nina\n',
  'suppression_bounces.csv':
    'status,reason,email,created\n5.1.1,550 no such user,gone@example.com,1767225600\n',
  'blocked.csv': 'email,date\ngone@example.com,03.04.2021\n',
  'offers-unsubscribed.csv': 'email\nada@example.com\n',
};

/** Makes each response with an error end the script. */
const STRICT = `set -euo pipefail
curl() { command curl --fail-with-body --no-progress-meter "$@"; }
`;

/** A request that the page says is refused. */
const REFUSED = /^(call .*?) +# 403 .*$/gm;

describe('the examples of the documentation', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld({ PUBLIC_URL: 'http://127.0.0.1:3000' });
    folder = await mkdtemp(join(tmpdir(), 'examples-'));
    for (const [name, content] of Object.entries(FILES)) {
      await writeFile(join(folder, name), content);
    }
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  describe.each([
    ['from the first to the last', PAGES],
    ['from the last to the first', PAGES.toReversed()],
  ])('can be pasted into one account, %s:', (_order, pages) => {
    let key: string;
    beforeAll(async () => (key = await createKey(world)));

    it.each(pages)('%s', async (page) => {
      await suppress(world, key, ['ada@example.com']);
      const examples = examplesOf(await readFile(page, 'utf8'));
      expect(examples).toContain('curl');
      const script = examples
        .replaceAll('http://127.0.0.1:3000', world.url)
        .replaceAll('<API_KEY>', key)
        .replaceAll('&wait=5', '&wait=1')
        .replaceAll(REFUSED, 'if $1; then exit 1; fi');
      await promisify(execFile)('bash', ['-c', STRICT + script], { cwd: folder });
    });
  });

  it('contain statements for the operator that PostgreSQL accepts', async () => {
    const page = await readFile('docs/alerts.md', 'utf8');
    const statements = [...page.matchAll(/```sql\s+(SELECT .*?)```|`(SELECT [^`]* FROM [^`]*)`/gs)].map(
      ([, block, inline]) => (block ?? inline!).replaceAll('…', '1'),
    );
    expect(statements.length).toBeGreaterThan(8);
    for (const statement of statements) {
      await expect(world.database.query(statement)).resolves.toEqual(expect.any(Array));
    }
  });

  describe('the statements of docs/privacy.md', () => {
    const ERIN = 'erin@example.com';
    let statements: string[];
    beforeAll(async () => {
      const page = await readFile('docs/privacy.md', 'utf8');
      statements = [...page.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, block]) => block!);
    });

    /** Leaves the address in all tables that it can reach without a mail server and an endpoint. */
    const fill = async (key: string): Promise<void> => {
      const as = world.as(key);
      await as.post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
      await as.get(`/contacts/${ERIN}`).expect(404);
      await as.post('/contacts').send({ email: ERIN }).expect(201);
      await as
        .patch(`/contacts/${ERIN}/topics`)
        .send([{ id: 'news', subscription: 'opt_out' }])
        .expect(200);
      const bounce = { type: 'bounce', email: ERIN, status: '5.1.1', diagnostic: `550 ${ERIN} unknown` };
      await as.post('/events').send(bounce).expect(200);
      await as.post('/rules').send({ pattern: ERIN, effect: 'block', note: 'A supplier' }).expect(201);
      await importFile(world, key, `email\nfred@example.com\n${ERIN}@\n`);
      await countLift(world, key, { cause: 'bounce', created_after: '2020-01-01' });
      await as.delete(`/suppressions/${ERIN}`).expect(200);
    };
    const run = async (sql: string, account: string): Promise<void> => {
      await world.database.query(
        sql.replaceAll("'acme'", `'${account}'`).replaceAll("'ada@example.com'", `'${ERIN}'`),
      );
    };
    /** The tables with a row of the account that contains the text. */
    const tablesWith = async (accountId: number, text: string): Promise<string[]> => {
      const tables = await world.database.query<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name = 'account_id'`,
      );
      const found = await Promise.all(
        tables.map(async ({ name }) => {
          const sql = `SELECT 1 FROM ${name} AS whole_row WHERE account_id = $1 AND strpos(whole_row::text, $2) > 0 LIMIT 1`;
          return (await world.database.query(sql, [accountId, text])).length > 0 ? [name] : [];
        }),
      );
      return found.flat().toSorted();
    };
    const accountOf = async (key: string): Promise<{ name: string; id: number }> => {
      const { name } = (await world.as(key).get('/account').expect(200)).body;
      const [account] = await world.database.query<{ id: number }>(
        'SELECT id FROM accounts WHERE name = $1',
        [name],
      );
      return { name, id: account!.id };
    };

    it('are not needed to erase an address of one account from every table', async () => {
      const [key, other] = [await createKey(world), await createKey(world)];
      await Promise.all([fill(key), fill(other)]);
      const [account, neighbour] = [await accountOf(key), await accountOf(other)];
      const filled = [
        'contacts',
        'delivery_events',
        'import_errors',
        'lift_lines',
        'rule_changes',
        'rules',
        'suppression_changes',
        'topic_preferences',
        'withdrawals',
      ];
      expect(await tablesWith(account.id, ERIN)).toEqual(filled);
      await until(async () => {
        await world.app.get(JobSweep).run();
        const erasure = { keep_block: false, reference: 'Case 4711', accept_may_be_mailed_again: true };
        const { status } = await world.as(key).post(`/contacts/${ERIN}/erase`).send(erasure);
        return status === 200;
      });
      expect(await tablesWith(account.id, ERIN)).toEqual([]);
      expect(await tablesWith(neighbour.id, ERIN)).toEqual(filled);
      await world.as(key).get(`/suppressions/${ERIN}/history`).expect(404);
      const { body } = await world.as(key).get('/changes').expect(200);
      expect(body.data.map(({ type }: { type: string }) => type).slice(4)).toEqual([
        'contact.erased',
        'contact.erased',
      ]);
      expect(JSON.stringify(body)).toContain('@erased.invalid');
    });

    it('delete one account', async () => {
      const [key, other] = [await createKey(world), await createKey(world)];
      await Promise.all([fill(key), fill(other)]);
      const [account, neighbour] = [await accountOf(key), await accountOf(other)];
      await run(statements[0]!, account.name);
      expect(await tablesWith(account.id, '')).toEqual([]);
      expect(await tablesWith(neighbour.id, ERIN)).toContain('suppression_changes');
      expect(await world.database.query('SELECT 1 FROM accounts WHERE id = $1', [account.id])).toEqual([]);
    });
  });
});

/** The fenced shell blocks, and the indented ones that send requests. */
function examplesOf(page: string): string {
  const fenced = page.matchAll(/^```sh\n(.*?)^```$/gms);
  const indented = page.matchAll(/^\n((?: {4}(?:curl|A=).*\n)(?: {4}.*\n)*)/gm);
  return [...fenced, ...indented].map(([, block]) => block).join('');
}
