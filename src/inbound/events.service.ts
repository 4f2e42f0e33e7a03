import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../audit/request-context.js';
import { ReadReplica } from '../database/read-replica.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { ServiceUnavailableError } from '../http/errors/errors.js';
import { checkIdempotencyKey, IdempotencyConflictError } from '../http/idempotency.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import { InboxService } from './inbox/inbox.service.js';
import { StoredEvent } from './inbox/stored-event.entity.js';
import type { DeliveryEventKind } from './parsing/delivery-event.js';
import { parsePostedEvents, toDeliveryEvent } from './posted-events.js';
import type { EventResult } from './projection/event-outcome.js';
import { SourcePausedError, UnknownSourceError } from './sources/errors.js';
import type { Source } from './sources/source.entity.js';
import { SourcesService } from './sources/sources.service.js';

const JUST_DELETED = 'The source of these events was just deleted. Try again in a moment.';

export interface ListedEvent {
  event: StoredEvent;
  source: Source;
}

export interface EventFilter {
  email?: EmailAddress | undefined;
  source?: string | undefined;
  kind?: DeliveryEventKind | undefined;
}

@Injectable()
export class EventsService {
  constructor(
    private readonly sources: SourcesService,
    private readonly inbox: InboxService,
    private readonly replica: ReadReplica,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Stores what an account's own mailers report, and applies it to the list.
   *
   * @returns the result of each event, in the order of the body
   * @throws {ValidationError} when the body is anything but valid events; then none is stored
   * @throws {InvalidIdempotencyKeyError}
   * @throws {IdempotencyConflictError} when the key was used for other events
   * @throws {SourcePausedError}
   * @throws {ServiceUnavailableError} when the source of posted events was just deleted (the next request creates another one),
   *   or an earlier report of the same event was just deleted
   */
  async create(
    context: RequestContext,
    body: unknown,
    idempotencyKey: string | undefined,
  ): Promise<EventResult[]> {
    checkIdempotencyKey(idempotencyKey);
    const events = parsePostedEvents(body).map((event, index) =>
      toDeliveryEvent(event, index, idempotencyKey),
    );
    const source = await this.sources.getForPostedEvents(context);
    if (source.pausedAt) {
      throw new SourcePausedError();
    }
    const token =
      idempotencyKey === undefined
        ? undefined
        : { value: `${source.id} ${idempotencyKey}`, identifiesEvents: true };
    const results = await this.inbox
      .store({ source, events, receivedAt: new Date(), deadline: context.deadline }, token)
      .catch((error: unknown) => {
        throw error instanceof UnknownSourceError ? new ServiceUnavailableError(JUST_DELETED) : error;
      });
    if (!results) {
      throw new IdempotencyConflictError();
    }
    return results;
  }

  /** A page of the account's events, newest first, without those whose source was deleted meanwhile. */
  async list(
    accountId: number,
    { email, source, kind, ...cursor }: EventFilter & Cursor,
  ): Promise<Page<ListedEvent>> {
    const recipient = email && (await this.storedNames.oneForReading(accountId, email));
    const where = {
      accountId,
      ...(recipient && { recipient }),
      ...(source && { sourceId: source }),
      ...(kind && { kind }),
    };
    const { elements, hasMore } = await this.replica.read(({ manager }) =>
      findPage(manager.getRepository(StoredEvent), [where], cursor),
    );
    const sources = await this.sources.findByIds(accountId, [
      ...new Set(elements.map(({ sourceId }) => sourceId)),
    ]);
    const byId = new Map(sources.map((found) => [found.id, found]));
    const listed = elements.flatMap((event) => {
      const reportedBy = byId.get(event.sourceId);
      return reportedBy ? [{ event, source: reportedBy }] : [];
    });
    return { elements: listed, hasMore };
  }
}
