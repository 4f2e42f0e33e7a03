import { randomUUID } from 'node:crypto';
import { migrate } from '../../src/database/startup/migrate.js';
import { CAUSES, type Cause } from '../../src/ledger/cause.js';
import { SCHEMA } from '../../src/schema.js';
import { cases } from '../support/cases.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** What a line of the ledger says about withdrawals. */
interface Line {
  action: 'added' | 'strengthened' | 'cause_added' | 'cause_removed' | 'removed' | 'opted_in' | 'opted_out';
  cause: Cause | null;
  record: string | null;
  topic: string | null;
  actor: 'source' | 'api_key' | 'import';
  actorId: string | null;
  occurredAt: Date;
  isRevert: boolean;
}

const NO_SOURCE = '00000000-0000-0000-0000-000000000000';
const RESUBSCRIBED = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const EMAIL = 'person@example.com';
const IDS = Array.from({ length: 3 }, () => randomUUID());

/** The definition, line by line: when each subject was last withdrawn, by the source that reported it. */
function expectedOf(lines: Line[]): string[] {
  const last = new Map<string, Date>();
  for (const line of lines.filter(({ isRevert }) => !isRevert)) {
    for (const subject of subjectsOf(line, lines)) {
      const key = `${subject} ${sourceOf(line)}`;
      const earlier = last.get(key);
      last.set(key, earlier && earlier > line.occurredAt ? earlier : line.occurredAt);
    }
  }
  return [...last].map(([key, at]) => `${key} ${at.toISOString()}`).toSorted();
}

function subjectsOf({ action, cause, record, topic }: Line, lines: Line[]): string[] {
  const hadCause = (candidate: Cause) =>
    lines.some(
      (line) =>
        line.record === record &&
        line.cause === candidate &&
        ['added', 'strengthened', 'cause_added'].includes(line.action),
    );
  switch (action) {
    case 'opted_in':
      return [topic!];
    case 'cause_removed':
      return [cause!];
    case 'removed':
      return CAUSES.filter(
        (candidate) =>
          candidate === cause || candidate === 'bounce' || candidate === 'manual' || hadCause(candidate),
      );
    default:
      return [];
  }
}

function sourceOf({ actor, actorId, cause }: Line): string {
  const isResubscribed = cause === 'unsubscribe' || cause === 'complaint';
  return actor !== 'source' ? NO_SOURCE : isResubscribed ? RESUBSCRIBED : actorId!;
}

/** A history as the service could write it: a cause is lifted only from a record that has it. */
function randomHistory(length: number): Line[] {
  const lines: Line[] = [];
  const causes = new Set<Cause>();
  let record: string = randomUUID();
  while (lines.length < length) {
    const absent = CAUSES.filter((cause) => !causes.has(cause));
    const step = pick(['add', 'add', 'lift', 'remove', 'choose'] as const);
    if (step === 'choose') {
      lines.push(lineOf({ action: pick(['opted_in', 'opted_out']), topic: pick(IDS) }));
    } else if (step === 'add' && absent.length > 0) {
      const cause = pick(absent);
      const isStronger = [...causes].every((present) => CAUSES.indexOf(present) < CAUSES.indexOf(cause));
      const action = causes.size === 0 ? 'added' : isStronger ? 'strengthened' : 'cause_added';
      causes.add(cause);
      lines.push(lineOf({ action, cause, record }));
    } else if (step === 'lift' && causes.size > 1) {
      const cause = pick([...causes]);
      causes.delete(cause);
      lines.push(lineOf({ action: 'cause_removed', cause, record }));
    } else if (step === 'remove' && causes.size > 0) {
      const cause = CAUSES.findLast((candidate) => causes.has(candidate))!;
      lines.push(lineOf({ action: 'removed', cause, record }));
      causes.clear();
      record = randomUUID();
    }
  }
  return lines;
}

function lineOf(fields: Partial<Line> & Pick<Line, 'action'>): Line {
  return {
    cause: null,
    record: null,
    topic: null,
    actor: pick(['source', 'source', 'api_key', 'import']),
    actorId: pick(IDS),
    occurredAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 1_000) * 1_000),
    isRevert: Math.random() < 0.2,
    ...fields,
  };
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)]!;
}

describe('the withdrawals', () => {
  let database: TestDatabase;
  afterEach(() => database.drop());

  const write = async (accountId: number, lines: Line[]) => {
    for (const { action, cause, record, topic, actor, actorId, occurredAt, isRevert } of lines) {
      const evidence = isRevert ? { reverted_import: randomUUID() } : null;
      await database.query(
        `INSERT INTO suppression_changes
          (account_id, email, action, cause, suppression_id, topic_id, actor_type, actor_id, actor_name, occurred_at, evidence)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'somebody', $9, $10)`,
        [accountId, EMAIL, action, cause, record, topic, actor, actorId, occurredAt, evidence],
      );
    }
  };
  const withdrawalsOf = async (accountId: number) => {
    const rows = await database.query<{ subject: string; source_id: string; withdrawn_at: Date }>(
      'SELECT * FROM withdrawals WHERE account_id = $1',
      [accountId],
    );
    return rows
      .map(({ subject, source_id, withdrawn_at }) => `${subject} ${source_id} ${withdrawn_at.toISOString()}`)
      .toSorted();
  };
  const histories = () => Array.from({ length: cases(20, 60) }, (_, number) => randomHistory(2 + number));

  it('are the last of each cause and topic in the ledger, by the source that reported them', async () => {
    database = await createTestDatabase();
    for (const [accountId, lines] of histories().entries()) {
      await write(accountId, lines);
      expect(await withdrawalsOf(accountId)).toEqual(expectedOf(lines));
    }
  });

  it('of a ledger that was written before the upgrade are the same, and so if the upgrade is repeated', async () => {
    database = await createTestDatabase({ migrated: false });
    const create = SCHEMA.migrations.findIndex(({ name }) => name.startsWith('CreateWithdrawals'));
    await migrate(database.url, { ...SCHEMA, migrations: SCHEMA.migrations.slice(0, create) });
    const [{ id: none }] = await createAccounts(['empty']);
    const ledgers = histories();
    const accounts = await createAccounts(ledgers.map((_, number) => `account-${number}`));
    for (const [index, { id }] of accounts.entries()) {
      await write(id, ledgers[index]!);
    }
    await migrate(database.url, SCHEMA);
    await database.query(`DELETE FROM migrations WHERE name LIKE 'FillWithdrawals%'`);
    await migrate(database.url, SCHEMA);
    for (const [index, { id }] of accounts.entries()) {
      expect(await withdrawalsOf(id)).toEqual(expectedOf(ledgers[index]!));
    }
    expect(await withdrawalsOf(none)).toEqual([]);
  });

  const createAccounts = async (names: string[]) =>
    (await database.query<{ id: number }>(
      'INSERT INTO accounts (name) SELECT unnest($1::text[]) RETURNING id',
      [names],
    )) as [{ id: number }, ...{ id: number }[]];
});
