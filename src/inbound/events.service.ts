import { Injectable } from '@nestjs/common';
import { ServiceUnavailableError } from '../http/errors.js';
import { EventResultsDto } from './dto/events.dto.js';
import { IdempotencyConflictError, InvalidIdempotencyKeyError } from './errors.js';
import { SourcePausedError, UnknownSourceError } from './sources/errors.js';
import { InboxService } from './inbox/inbox.service.js';
import { ownDeliveryEvent, parseOwnEvents } from './own-event.js';
import { SourcesService } from './sources/sources.service.js';

const MAX_REQUEST_KEY_LENGTH = 256;
const JUST_DELETED = 'The source of these events was just deleted. Try again in a moment.';

/** Takes in what an account's own mailers tell, by API key. */
@Injectable()
export class EventsService {
  constructor(
    private readonly sources: SourcesService,
    private readonly inbox: InboxService,
  ) {}

  /**
   * @param requestKey - the caller's own name for this request, so that a retry does nothing
   * @throws {ValidationError} when the body holds something else than events; then none is taken
   * @throws {InvalidIdempotencyKeyError}
   * @throws {IdempotencyConflictError} when the key was used for other events
   * @throws {SourcePausedError}
   * @throws {ServiceUnavailableError} when the source of the account's own events was just deleted (the next request makes another), or
   *   an event that was told before
   */
  async tell(
    accountId: number,
    body: unknown,
    requestKey: string | undefined,
    deadline: number,
  ): Promise<EventResultsDto> {
    if (requestKey !== undefined && !isRequestKey(requestKey)) {
      throw new InvalidIdempotencyKeyError();
    }
    const events = parseOwnEvents(body).map((event, index) => ownDeliveryEvent(event, index, requestKey));
    const source = await this.sources.ownOf(accountId);
    if (source.pausedAt) {
      throw new SourcePausedError();
    }
    const token = requestKey === undefined ? undefined : `${source.id} ${requestKey}`;
    const outcomes = await this.inbox
      .take(source, events, new Date(), token, deadline)
      .catch((error: unknown) => {
        throw error instanceof UnknownSourceError ? new ServiceUnavailableError(JUST_DELETED) : error;
      });
    if (!outcomes) {
      throw new IdempotencyConflictError();
    }
    return new EventResultsDto(outcomes);
  }
}

function isRequestKey(text: string): boolean {
  return (
    text.length >= 1 && text.length <= MAX_REQUEST_KEY_LENGTH && text.isWellFormed() && !text.includes('\0')
  );
}
