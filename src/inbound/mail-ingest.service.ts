import { Injectable } from '@nestjs/common';
import type { DeliveryEvent } from './parsing/delivery-event.js';
import { InvalidSourceError, PausedSourceError } from './sources/errors.js';
import { InboxRepository, type StoredOutcome } from './inbox/inbox.repository.js';
import { InboxService } from './inbox/inbox.service.js';
import { mail } from './providers/mail/provider.js';
import type { Source } from './sources/source.entity.js';
import { SourcesService } from './sources/sources.service.js';

/** What a report of a message did. */
export interface Ingested extends StoredOutcome {
  event: DeliveryEvent;
  /** It was stored before, and did nothing this time: the outcome is the one that it had then. */
  isRepeated: boolean;
}

/** Takes in raw messages from whoever is on the machine: a command needs no credential. */
@Injectable()
export class MailIngestService {
  constructor(
    private readonly sources: SourcesService,
    private readonly inbox: InboxService,
    private readonly stored: InboxRepository,
  ) {}

  /**
   * @throws {SourceNotFoundError}
   * @throws {InvalidSourceError} when the source takes no mail
   * @throws {PausedSourceError}
   */
  async getSource(id: string): Promise<Source> {
    const source = await this.sources.get(id);
    if (source.provider !== mail.name) {
      throw new InvalidSourceError(
        `The source ${id} takes no mail: it is one of ${source.provider}. Make one with --provider mail.`,
      );
    }
    if (source.pausedAt) {
      throw new PausedSourceError(id);
    }
    return source;
  }

  /**
   * Stores what a message reports and does what the new reports say, both or neither, as a delivery over HTTP does.
   *
   * @throws {MalformedBodyError} when it is empty
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   * @throws {ServiceUnavailableError} when a report that was told before was just forgotten
   */
  async ingest(source: Source, message: Buffer): Promise<Ingested[]> {
    const events = await mail.read(message, {}, this.sources.settingsOf(source));
    const earlier = new Set((await this.stored.findOutcomes(source, events)).map(({ key }) => key));
    const outcomes = (await this.inbox.take(source, events, new Date()))!;
    return events.map((event, index) => ({
      event,
      ...outcomes[index]!,
      isRepeated: earlier.has(event.key),
    }));
  }
}
