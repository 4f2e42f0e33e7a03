import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import type { OperatorContext } from '../../audit/request-context.js';
import { withSocketTimeout } from '../../database/connections.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { HIGHEST_ID } from '../../validation/parsers.js';
import { STILL_LISTED, UNPROVEN, type DeliveryEventKind, type Outcome } from '../parsing/delivery-event.js';
import type { Source } from './source.entity.js';

export interface EventCount {
  kind: DeliveryEventKind;
  outcome: Outcome;
  events: number;
  /** How many of these events were ignored because nothing proved that the mail was the account's. */
  unproven: number;
  lastReceivedAt: Date;
}

/** An address that a person removed from the list, but that the provider still has on its own list. */
export interface StillListed {
  email: EmailAddress;
  /** Says which list it is on, and where to remove it. */
  reason: string;
  lastReceivedAt: Date;
}

/** A command may take longer than a request. It reads about a million events per second. */
const TIMEOUT_MS = 10 * 60_000;
const MAX_STILL_LISTED = 20;

const COUNT = `
  SELECT
    kind,
    outcome,
    count(*)::integer AS events,
    (count(*) FILTER (WHERE starts_with(reason, $3)))::integer AS unproven,
    max(received_at) AS "lastReceivedAt"
  FROM delivery_events
  WHERE account_id = $1 AND source_id = $2
  GROUP BY kind, outcome
  ORDER BY kind, outcome`;

/** Skips events that are out of date, because mail has arrived since, or the address has a record. */
const FIND_STILL_LISTED = `
  SELECT email, reason, received_at AS "lastReceivedAt"
  FROM (
    SELECT DISTINCT ON (recipient) recipient AS email, reason, received_at
    FROM delivery_events AS event
    WHERE account_id = $1
      AND source_id = $2
      AND effect = 'suppress-if-absent'
      AND outcome = 'nothing'
      AND starts_with(reason, $3)
      AND NOT EXISTS (
        SELECT FROM delivery_events AS arrival
        WHERE arrival.account_id = $1
          AND arrival.recipient = event.recipient
          AND arrival.source_id = $2
          AND arrival.effect = 'success'
          AND arrival.id > event.id
      )
      AND NOT EXISTS (SELECT FROM suppressions WHERE account_id = $1 AND email = event.recipient)
    ORDER BY recipient, id DESC
  ) AS still_listed
  ORDER BY received_at DESC
  LIMIT ${MAX_STILL_LISTED}`;

/**
 * The order matches exactly one index. With `source_id = source` and `ORDER BY id`, PostgreSQL may read all events of the
 * account to find that a source reported nothing.
 */
const FIND_LAST_RECEIVED = new PreparedStatement<{ source: string; receivedAt: Date }>(
  'find-last-received',
  `SELECT source, received_at AS "receivedAt"
  FROM unnest($2::uuid[]) AS source
  CROSS JOIN LATERAL (
    SELECT source_id, received_at
    FROM delivery_events
    WHERE account_id = $1 AND (source_id, id) <= (source, '${HIGHEST_ID}')
    ORDER BY source_id DESC, id DESC
    LIMIT 1
  ) AS last
  WHERE source_id = source`,
);

/** Deletes as many events as fit well into the statement timeout. */
const DELETE_SOME = new PreparedStatement<{ deleted: number }>(
  'delete-delivery-events',
  `WITH deleted AS (
    DELETE FROM delivery_events
    WHERE account_id = $1 AND id IN (
      SELECT id FROM delivery_events WHERE account_id = $1 AND source_id = $2 LIMIT 10000
    )
    RETURNING id
  )
  SELECT count(*)::integer AS deleted FROM deleted`,
);

@Injectable()
export class SourceEventsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Reads all events of the source, so it is for commands only. */
  count(source: Source): Promise<EventCount[]> {
    return this.read<EventCount>(COUNT, source, UNPROVEN);
  }

  /** The addresses that the source reported last. Reads all its events, so it is for commands only. */
  findStillListed(source: Source): Promise<StillListed[]> {
    return this.read<StillListed>(FIND_STILL_LISTED, source, STILL_LISTED);
  }

  /** When sources reported something last, by their ids. Those that reported nothing are absent. */
  async findLastReceived(accountId: number, sources: string[]): Promise<Map<string, Date>> {
    const rows = await FIND_LAST_RECEIVED.run(this.dataSource, [accountId, sources]);
    return new Map(rows.map(({ source, receivedAt }) => [source, receivedAt]));
  }

  async delete({ accountId, id }: Source, context: OperatorContext): Promise<void> {
    let rows: { deleted: number }[];
    do {
      rows = await DELETE_SOME.write(this.dataSource, context, [accountId, id]);
    } while (rows[0]!.deleted > 0);
  }

  private read<Row extends QueryResultRow>(
    sql: string,
    { accountId, id }: Source,
    prefix: string,
  ): Promise<Row[]> {
    return this.dataSource.transaction(async (transaction) => {
      await transaction.query(`SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
      const read = () => transaction.query<Row[]>(sql, [accountId, id, prefix]);
      return withSocketTimeout(transaction, TIMEOUT_MS, read);
    });
  }
}
