import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { CHECK_SIZE } from '../load/job.js';
import type { LoadedDatabase } from '../database.js';
import { countLines } from './content.js';

const STAGE = 'CREATE TEMP TABLE staged (email text, cause suppression_cause, created_at timestamptz)';
const COPY_IN = 'COPY staged FROM STDIN WITH (FORMAT csv, HEADER)';

/** The id of a record contains its timestamp, as the service expects. */
const ID = `
  encode(
    overlay(uuid_send(gen_random_uuid()) PLACING int8send((extract(epoch FROM created_at) * 1000)::bigint << 16 | 28672) FROM 1 FOR 8),
    'hex'
  )::uuid`;

const merge = (accountId: number): string => `
  WITH addition AS (
    SELECT DISTINCT ON (lower(email)) ${ID} AS id, lower(email) AS email, cause, created_at
    FROM staged
    ORDER BY lower(email), cause DESC, created_at
  ),
  written AS (
    INSERT INTO suppressions AS record (account_id, id, email, cause, created_at)
    SELECT ${accountId}, id, email, cause, created_at
    FROM addition
    ON CONFLICT (account_id, email) DO UPDATE
    SET cause = excluded.cause
    WHERE record.cause < excluded.cause
    RETURNING id, email
  )
  INSERT INTO suppression_changes
    (account_id, actor_type, actor_id, actor_name, action, suppression_id, email, cause, occurred_at)
  SELECT ${accountId}, 'import', gen_random_uuid(), 'bench',
    (CASE WHEN written.id = addition.id THEN 'added' ELSE 'strengthened' END)::suppression_action,
    written.id, email, cause, created_at
  FROM written
  JOIN addition USING (email)`;

const exportUntil = (accountId: number, createdBefore: string): string => `
  COPY (
    SELECT
      'suppression' AS object, id, record.email,
      CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END AS origin,
      CASE WHEN cause IN ('bounce', 'complaint') THEN email_id END AS source_id,
      created_at, cause,
      concat_ws(
        ' ', cause,
        CASE WHEN weaker_causes & 4 <> 0 THEN 'unsubscribe' END,
        CASE WHEN weaker_causes & 2 <> 0 THEN 'manual' END,
        CASE WHEN weaker_causes & 1 <> 0 THEN 'bounce' END
      ) AS causes,
      expires_at, last.note
    FROM suppressions AS record
    LEFT JOIN LATERAL (
      SELECT note
      FROM suppression_changes
      WHERE account_id = ${accountId} AND email = record.email AND topic_id IS NULL
      ORDER BY revision DESC
      LIMIT 1
    ) AS last ON true
    WHERE account_id = ${accountId} AND created_at < '${createdBefore}'
  ) TO STDOUT WITH (FORMAT csv, HEADER)`;

const LISTED = 'SELECT email FROM suppressions WHERE account_id = $1 AND email = ANY ($2)';

/** The same tasks by `pg` alone, on one connection. */
export class PgPeer {
  private constructor(
    private readonly client: Client,
    private readonly accountId: number,
  ) {}

  static async open({ url, records }: LoadedDatabase): Promise<PgPeer> {
    const client = new Client({ connectionString: url });
    await client.connect();
    return new PgPeer(client, records.accountId);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /** Copies a file into a temporary table and merges it. Returns the number of records that changed. */
  async import(file: string): Promise<number> {
    await this.client.query('BEGIN');
    await this.client.query(STAGE);
    await pipeline([Buffer.from(file)], this.client.query(copyFrom(COPY_IN)));
    await this.client.query('ANALYZE staged');
    const { rowCount } = await this.client.query(merge(this.accountId));
    await this.client.query('DROP TABLE staged');
    await this.client.query('COMMIT');
    return rowCount!;
  }

  /** Returns the number of lines without the header. */
  async export(createdBefore: string): Promise<number> {
    return (await countLines(this.client.query(copyTo(exportUntil(this.accountId, createdBefore))))) - 1;
  }

  /** Checks 1,000 recipients while the previous 1,000 are written. Returns the number of remaining rows. */
  async scrub(file: string): Promise<number> {
    const [, ...lines] = file.trimEnd().split('\n');
    let kept = 0;
    let previous: Promise<string[]> = Promise.resolve([]);
    for (let start = 0; start < lines.length; start += CHECK_SIZE) {
      const next = this.withoutListed(lines.slice(start, start + CHECK_SIZE));
      kept += write(await previous);
      previous = next;
    }
    return kept + write(await previous);
  }

  private async withoutListed(lines: string[]): Promise<string[]> {
    const emails = lines.map((line) => line.slice(0, line.indexOf(',')).toLowerCase());
    const values = [this.accountId, emails];
    const { rows } = await this.client.query<{ email: string }>({ name: 'listed', text: LISTED, values });
    const listed = new Set(rows.map(({ email }) => email));
    return lines.filter((_line, index) => !listed.has(emails[index]!));
  }
}

/** Creates the bytes that a program would write. */
function write(lines: string[]): number {
  Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return lines.length;
}
