import { createHash, timingSafeEqual } from 'node:crypto';
import { Pool, type QueryConfig } from 'pg';
import { createdAtOf } from '../../src/suppressions/suppression-id.js';

/** Both peers over HTTP share the key check, the statement, and the response. */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const COLUMNS = 'id, email, cause, email_id, created_at';
const BY_ID = `SELECT ${COLUMNS} FROM suppressions WHERE account_id = $1 AND created_at = $2 AND id = $3`;
const BY_EMAIL = `SELECT ${COLUMNS} FROM suppressions WHERE account_id = $1 AND email = $2`;

export const NOT_FOUND = { statusCode: 404, name: 'not_found', message: 'There is no such suppression.' };
export const UNAUTHORIZED = { statusCode: 401, name: 'invalid_api_key', message: 'The API key is invalid.' };

const accountId = Number(process.env.ACCOUNT_ID);
const authorization = hash(`Bearer ${process.env.API_KEY}`);
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

/** Compares the key with a hash in memory, without scopes and expiry. */
export function isAuthorized(header: string | undefined): boolean {
  return header !== undefined && timingSafeEqual(hash(header), authorization);
}

/** The body of the response, or undefined if the suppression does not exist. */
export async function lookUp(ref: string): Promise<object | undefined> {
  const statement: QueryConfig = UUID.test(ref)
    ? { name: 'by-id', text: BY_ID, values: [accountId, createdAtOf(ref), ref] }
    : { name: 'by-email', text: BY_EMAIL, values: [accountId, ref.trim().toLowerCase()] };
  const { rows } = await pool.query(statement);
  const [row] = rows;
  return (
    row && {
      object: 'suppression',
      id: row.id,
      email: row.email,
      origin: row.cause === 'unsubscribe' ? 'manual' : row.cause,
      source_id: row.email_id,
      created_at: row.created_at,
    }
  );
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A peer stops when its parent process ends. */
process.once('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
