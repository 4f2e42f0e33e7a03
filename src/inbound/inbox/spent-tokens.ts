import { createHash } from 'node:crypto';
import { Check, Column, Entity, Index, PrimaryColumn, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import type { Source } from '../sources/source.entity.js';

/** A single-use token of a delivery that was accepted. It belongs to no account. */
@Entity('spent_tokens')
@Index('spent_tokens_spent_at_idx', ['spentAt'])
@Check('spent_tokens_token_hash_check', 'octet_length(token_hash) = 32')
@Check('spent_tokens_keys_hash_check', 'octet_length(keys_hash) = 32')
export class SpentToken {
  /** SHA-256. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'source_id' })
  sourceId!: string;

  /** SHA-256 of the keys of the events, which a retry repeats. */
  @Column('bytea', { name: 'keys_hash' })
  keysHash!: Buffer;

  @Column('timestamptz', { name: 'spent_at', default: () => 'now()' })
  spentAt!: Date;
}

/** Tokens are kept for longer than providers' signatures are accepted. */
const TOKEN_LIFETIME_MS = 2 * 86_400_000;

/**
 * An expired token counts as unspent. Each call deletes two expired tokens. With Citus, the account identifies the node that
 * the transaction uses next.
 */
const SPEND_TOKEN = new PreparedStatement<{ account_id: number }>(
  'spend-token',
  `WITH oldest AS MATERIALIZED (
    SELECT token_hash
    FROM spent_tokens
    WHERE spent_at < $5 AND token_hash <> $1
    ORDER BY spent_at
    LIMIT 2
    FOR UPDATE SKIP LOCKED
  ),
  expired AS (
    DELETE FROM spent_tokens
    WHERE token_hash IN (SELECT token_hash FROM oldest)
  )
  INSERT INTO spent_tokens (token_hash, source_id, keys_hash, spent_at)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (token_hash) DO UPDATE
  SET spent_at = excluded.spent_at, source_id = excluded.source_id, keys_hash = excluded.keys_hash
  WHERE spent_tokens.spent_at < $5
  RETURNING $6::integer AS account_id`,
);

const FIND_TOKEN = new PreparedStatement<{ isSame: boolean; spentAt: Date }>(
  'find-spent-token',
  `SELECT source_id = $2 AND keys_hash = $3 AS "isSame", spent_at AS "spentAt"
  FROM spent_tokens
  WHERE token_hash = $1`,
);

/** A token that a delivery may use only once, except with the same events at the same source. */
export interface SingleUseToken {
  value: string;
  /** Whether nothing else identifies the events. After its lifetime, the token identifies new ones. */
  identifiesEvents: boolean;
}

/**
 * Spends a token on these events of this source. Waits for another transaction that spends the same one.
 *
 * @returns when it was spent on them, now or within two days; undefined when it was spent on other events, or at another
 *   source, within two days
 */
export async function spendToken(
  { accountId, id }: Source,
  token: string,
  events: DeliveryEvent[],
  transaction: EntityManager,
): Promise<Date | undefined> {
  const keys = events.map(({ key }) => key).sort();
  const values = [sha256(token), id, sha256(JSON.stringify(keys))];
  const now = new Date();
  const expired = new Date(now.getTime() - TOKEN_LIFETIME_MS);
  const spent = await SPEND_TOKEN.run(transaction, [...values, now, expired, accountId]);
  if (spent.length > 0) {
    return now;
  }
  const [earlier] = await FIND_TOKEN.run(transaction, values);
  return earlier?.isSame ? earlier.spentAt : undefined;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
