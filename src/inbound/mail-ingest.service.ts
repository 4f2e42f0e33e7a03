import { Injectable } from '@nestjs/common';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { OptOutsService } from '../unsubscribe/opt-outs.service.js';
import { InboxService } from './inbox/inbox.service.js';
import type { DeliveryEvent } from './parsing/delivery-event.js';
import type { EventResult } from './projection/event-outcome.js';
import { mail } from './providers/mail.js';
import { InvalidSourceError, PausedSourceError } from './sources/errors.js';
import { SourceSecrets } from './sources/source-secrets.js';
import type { Source } from './sources/source.entity.js';
import { SourcesService } from './sources/sources.service.js';

export interface IngestedEvent extends EventResult {
  event: DeliveryEvent;
}

export interface IngestedMail {
  events: IngestedEvent[];
  /** Whether the message is an opt-out that a recipient sent to the address of a `mailto:` link. */
  hasOptedOut: boolean;
}

/** Ingests raw mail that the command line reads. */
@Injectable()
export class MailIngestService {
  constructor(
    private readonly sources: SourcesService,
    private readonly secrets: SourceSecrets,
    private readonly inbox: InboxService,
    private readonly optOuts: OptOutsService,
  ) {}

  /**
   * A source for {@link MailIngestService.ingest}.
   *
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
   * Processes a raw message, which needs no credential. Stores what it reports and applies it to the list, both or neither, as a
   * delivery over HTTP does.
   *
   * @throws {MalformedBodyError} when the message is empty
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   * @throws {DeadlineExceededError} when it takes longer than a request may
   * @throws {ServiceUnavailableError} when a report that was stored before has just expired
   */
  async ingest(source: Source, message: Buffer): Promise<IngestedMail> {
    const { events, sentTo } = await mail.readMail(message, this.secrets.settingsOf(source));
    const deadline = performance.now() + REQUEST_TIME_LIMIT_MS;
    const results = (await this.inbox.store({ source, events, receivedAt: new Date(), deadline }))!;
    const hasOptedOut = await this.optOuts.optOutByMail({ accountId: source.accountId, deadline }, sentTo);
    return { events: events.map((event, index) => ({ event, ...results[index]! })), hasOptedOut };
  }
}
