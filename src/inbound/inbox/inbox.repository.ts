import { Injectable } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { ReadReplica } from '../../database/read-replica.js';
import { chunksOf, RowSet } from '../../database/row-set.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { findPage, type Cursor, type Page } from '../../http/page.js';
import { lastRevision } from '../../ledger/ledger-sql.js';
import type { DeliveryEventKind } from '../parsing/delivery-event.js';
import { initialOutcome } from '../parsing/outcome.js';
import type { NewEvent, ReceivedEvent } from '../projection/event-outcome.js';
import { UnknownSourceError } from '../sources/errors.js';
import type { Source } from '../sources/source.entity.js';
import { StoredEvent } from './stored-event.entity.js';

/** PostgreSQL's foreign_key_violation: an event references nothing but its source. */
const FOREIGN_KEY_VIOLATION = '23503';

const REPORTED = new RowSet(3, {
  key: 'text',
  kind: 'delivery_event_kind',
  effect: 'delivery_event_effect',
  outcome: 'delivery_event_outcome',
  recipient: 'text',
  emailId: 'uuid',
  rawMessageId: 'text',
  status: 'text',
  diagnostic: 'text',
  reason: 'text',
  occurredAt: 'timestamptz',
  topicId: 'uuid',
  receivedAt: 'timestamptz',
});

const STORE = new PreparedStatement<{ id: string; key: string }>(
  'store-delivery-events',
  `INSERT INTO delivery_events (account_id, source_id, ${REPORTED.names}, revision)
  SELECT $1, $2, reported.*, CASE WHEN effect = 'watch' THEN ${lastRevision('recipient')} END
  FROM ${REPORTED.as('reported')}
  ORDER BY reported.key
  ON CONFLICT (account_id, source_id, key) DO NOTHING
  RETURNING id, key`,
);

export interface EventFilter {
  email?: EmailAddress | undefined;
  source?: string | undefined;
  kind?: DeliveryEventKind | undefined;
}

@Injectable()
export class InboxRepository extends Repository<StoredEvent> {
  constructor(
    dataSource: DataSource,
    private readonly replica: ReadReplica,
  ) {
    super(StoredEvent, dataSource.manager);
  }

  findPage(
    accountId: number,
    { email, source, kind }: EventFilter,
    cursor: Cursor,
  ): Promise<Page<StoredEvent>> {
    const where = {
      accountId,
      ...(email && { recipient: email }),
      ...(source && { sourceId: source }),
      ...(kind && { kind }),
    };
    return this.replica.read(({ manager }) => findPage(manager.getRepository(StoredEvent), [where], cursor));
  }

  /**
   * Stores events in the order of their keys, so that two deliveries of the same events do not deadlock: one waits for the
   * other. Of events with the same key, the first one counts.
   *
   * @returns the events that were not stored before, in the order given
   * @throws {UnknownSourceError} when the source was deleted since it was looked up
   */
  async store(source: Source, reported: ReceivedEvent[], transaction: EntityManager): Promise<NewEvent[]> {
    const events = firstOfEachKey(reported);
    const ids = new Map<string, string>();
    for (const chunk of chunksOf(events.toSorted(byKey))) {
      for (const { id, key } of await this.storeChunk(source, chunk, transaction)) {
        ids.set(key, id);
      }
    }
    return events.flatMap((event) => {
      const id = ids.get(event.key);
      return id === undefined ? [] : [{ ...event, id }];
    });
  }

  private storeChunk(
    { accountId, id: sourceId }: Source,
    events: ReceivedEvent[],
    transaction: EntityManager,
  ): Promise<{ id: string; key: string }[]> {
    const rows = events.map((event) => ({ ...event, outcome: initialOutcome(event.effect) }));
    return STORE.run(transaction, [accountId, sourceId, ...REPORTED.values(rows)]).catch((error: unknown) => {
      throw isSourceGone(error) ? new UnknownSourceError() : error;
    });
  }
}

function isSourceGone(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === FOREIGN_KEY_VIOLATION;
}

function firstOfEachKey(events: ReceivedEvent[]): ReceivedEvent[] {
  const keys = new Set<string>();
  return events.filter(({ key }) => !keys.has(key) && keys.add(key));
}

function byKey({ key: one }: ReceivedEvent, { key: other }: ReceivedEvent): number {
  return one < other ? -1 : Number(one > other);
}
