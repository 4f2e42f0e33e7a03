import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/is-database-unavailable.js';
import { ApiError } from '../http/api-error.js';
import { ServiceUnavailableError } from '../http/errors.js';
import { OperatorError } from '../process/operator-error.js';
import type { DeliveryEvent } from './parsing/delivery-event.js';
import { BadSignatureError } from './providers/errors.js';
import { SourcePausedError } from './sources/errors.js';
import { InboxService } from './inbox/inbox.service.js';
import { parseJson } from './parsing/json.js';
import { ProviderNetwork } from './providers/provider-network.js';
import type { InboundRequest, SourceSettings } from './providers/provider.js';
import type { Source } from './sources/source.entity.js';
import { providerOf, SourcesService } from './sources/sources.service.js';

/** Errors of the database quote addresses, so their messages are kept nowhere. */
const UNFORESEEN = 'The delivery could not be stored. The log says why.';

/** What a delivery says, after it was proven. */
interface Delivery {
  events: DeliveryEvent[];
  onceOnly: string | undefined;
}

/** Takes in what providers tell. */
@Injectable()
export class InboundService {
  private readonly logger = new Logger(InboundService.name);

  constructor(
    private readonly sources: SourcesService,
    private readonly inbox: InboxService,
    private readonly network: ProviderNetwork,
  ) {}

  /**
   * Stores the events of a delivery and does what the new ones say, both or neither, and neither after the caller was answered.
   *
   * @param rawBody - exactly the octets that arrived
   * @throws {SourcePausedError}
   * @throws {BadSignatureError} when the provider did not send it: nothing is left of it but a count
   * @throws {MalformedBodyError}
   * @throws {LegacyWebhookError}
   * @throws {ServiceUnavailableError} so that the provider tries again
   */
  async receive(
    source: Source,
    rawBody: Buffer,
    headers: IncomingHttpHeaders,
    deadline: number,
  ): Promise<Record<string, never>> {
    if (source.pausedAt) {
      throw new SourcePausedError();
    }
    const request = { rawBody, headers, receivedAt: new Date() };
    const delivery = await this.noting(source, this.read(source, request));
    await this.noting(source, this.store(source, delivery, request.receivedAt, deadline), isOutage);
    return {};
  }

  private async read(source: Source, request: InboundRequest): Promise<Delivery> {
    const { rawBody, headers } = request;
    const provider = providerOf(source.provider);
    const settings = this.settingsOf(source);
    const { onceOnly, confirm } = await provider.verify(request, settings, this.network);
    const events = await provider.read(provider.takesMail ? rawBody : parseJson(rawBody), headers, settings);
    if (confirm) {
      await this.network.confirm(confirm.url);
    }
    return { events, onceOnly };
  }

  private settingsOf(source: Source): SourceSettings {
    try {
      return this.sources.settingsOf(source);
    } catch (error) {
      if (error instanceof OperatorError) {
        this.logger.error(error.message);
        throw new ServiceUnavailableError('The secrets of this source cannot be read. Try again later.');
      }
      throw error;
    }
  }

  private async store(
    source: Source,
    { events, onceOnly }: Delivery,
    receivedAt: Date,
    deadline: number,
  ): Promise<void> {
    if (!(await this.inbox.take(source, events, receivedAt, onceOnly, deadline))) {
      throw new BadSignatureError('its token was used for another event');
    }
  }

  /**
   * Notes for `source show` what goes wrong. What went wrong with the delivery is told to the caller all the same, if this
   * fails, too.
   */
  private async noting<Result>(
    source: Source,
    step: Promise<Result>,
    isLeftOut: (error: unknown) => boolean = () => false,
  ): Promise<Result> {
    try {
      return await step;
    } catch (error) {
      if (!isLeftOut(error)) {
        const noted =
          error instanceof BadSignatureError
            ? this.sources.countBadSignature(source, error.message)
            : this.sources.noteError(source, error instanceof ApiError ? error.message : UNFORESEEN);
        await noted.catch(() => this.logger.debug('the error of a source was not noted'));
      }
      throw error;
    }
  }
}

/** No fault of the source, and every delivery in it would write the same row. */
function isOutage(error: unknown): boolean {
  return error instanceof ServiceUnavailableError || isDatabaseUnavailable(error);
}
