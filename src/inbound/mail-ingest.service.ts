import { Injectable } from '@nestjs/common';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import type { EventResult } from './projection/event-outcome.js';
import { OptOutsService } from '../unsubscribe/opt-outs.service.js';
import { InboxService } from './inbox/inbox.service.js';
import type { DeliveryEvent } from './parsing/delivery-event.js';
import { mail } from './providers/mail/provider.js';
import { InvalidSourceError, PausedSourceError } from './sources/errors.js';
import type { Source } from './sources/source.entity.js';
import { SourcesService } from './sources/sources.service.js';

export interface IngestedEvent extends EventResult {
  event: DeliveryEvent;
}

export interface IngestedMail {
  events: IngestedEvent[];
  /** Whether a recipient sent it to the address of a `mailto:` link. */
  hasOptedOut: boolean;
}

/** Processes raw messages from the command line, which needs no credential. */
@Injectable()
export class MailIngestService {
  constructor(
    private readonly sources: SourcesService,
    private readonly inbox: InboxService,
    private readonly optOuts: OptOutsService,
  ) {}

  /**
   * @throws {SourceNotFoundError}
   * @throws {InvalidSourceError} when the source is not one of the provider `mail`
   * @throws {PausedSourceError}
   */
  async getSource(id: string): Promise<Source> {
    const source = await this.sources.get(id);
    if (source.provider !== mail.name) {
      throw new InvalidSourceError(
        `The source ${id} takes no mail: its provider is ${source.provider}. Create one with --provider mail.`,
      );
    }
    if (source.pausedAt) {
      throw new PausedSourceError(id);
    }
    return source;
  }

  /**
   * Stores what a message reports and applies it to the list, both or neither, as a delivery over HTTP does.
   *
   * @throws {MalformedBodyError} when the message is empty
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   * @throws {DeadlineExceededError} when it takes longer than a request may
   * @throws {ServiceUnavailableError} when a report that was stored before has just expired
   */
  async ingest(source: Source, message: Buffer): Promise<IngestedMail> {
    const { events, sentTo } = await mail.readMail(message, this.sources.settingsOf(source));
    const deadline = performance.now() + REQUEST_TIME_LIMIT_MS;
    const results = (await this.inbox.store({ source, events, receivedAt: new Date(), deadline }))!;
    const hasOptedOut = await this.optOuts.optOutByMail({ accountId: source.accountId, deadline }, sentTo);
    return { events: events.map((event, index) => ({ event, ...results[index]! })), hasOptedOut };
  }
}
