import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ClientBase } from 'pg';
import { DataSource } from 'typeorm';
import { patiently } from '../../database/data-source.js';
import { UNPROVEN, type DeliveryEventKind, type Outcome } from '../parsing/delivery-event.js';
import type { Source } from '../sources/source.entity.js';

/** How many events of a kind did what, and when the last of them came. */
export interface EventCount {
  kind: DeliveryEventKind;
  outcome: Outcome;
  events: number;
  /** How many of them did nothing for want of a proof. */
  unproven: number;
  lastReceivedAt: Date;
}

/** Whoever runs a command waits longer than a request may: a million events take a second, or some where disks are slow. */
const PATIENCE_MS = 10 * 60_000;

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

/** Counts what a source received. It reads all of it, so it is for commands only. */
@Injectable()
export class EventCountsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  count({ accountId, id }: Source): Promise<EventCount[]> {
    return this.dataSource.transaction(async (transaction) => {
      await transaction.query(`SET LOCAL statement_timeout = ${PATIENCE_MS}`);
      const client = (await transaction.queryRunner!.connect()) as ClientBase;
      const counting = () => client.query<EventCount>(COUNT, [accountId, id, UNPROVEN]);
      return (await patiently(client, PATIENCE_MS, counting)).rows;
    });
  }
}
