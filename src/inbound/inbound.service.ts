import { setImmediate } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { isDatabaseUnavailable } from '../database/errors.js';
import { ApiError } from '../http/errors/api-error.js';
import { ServiceUnavailableError } from '../http/errors/errors.js';
import { deadlineOf } from '../http/requests/open-requests.js';
import { OperatorError } from '../process/operator-error.js';
import { LinksService } from '../unsubscribe/links.service.js';
import { OptOutsService } from '../unsubscribe/opt-outs.service.js';
import { InboxService } from './inbox/inbox.service.js';
import type { Delivery } from './inbox/shared-deliveries.js';
import type { DeliveryEvent } from './parsing/delivery-event.js';
import { parseJson, requireArray } from './parsing/json.js';
import type { EventResult } from './projection/event-outcome.js';
import { mail } from './providers/mail.js';
import { BadSignatureError } from './providers/proof.js';
import { ProviderNetwork } from './providers/provider-network.js';
import type { FindTarget, InboundRequest, Provider, ReadMail, SourceSettings } from './providers/provider.js';
import { providerOf } from './providers/providers.js';
import { InvalidSourceError, PausedSourceError, SourcePausedError } from './sources/errors.js';
import type { DeliveryRequest } from './sources/source.guard.js';
import { SourceSecrets } from './sources/source-secrets.js';
import type { Source } from './sources/source.entity.js';
import { SourcesService } from './sources/sources.service.js';

/** Database errors quote addresses, so their messages are stored nowhere. */
const UNEXPECTED = 'The delivery could not be stored. The log says why.';

interface ReadDelivery extends ReadMail {
  singleUseToken: string | undefined;
}

export interface IngestedEvent extends EventResult {
  event: DeliveryEvent;
}

export interface IngestedMail {
  events: IngestedEvent[];
  /** Whether the message is an opt-out that a recipient sent to the address of a `mailto:` link. */
  hasOptedOut: boolean;
}

/** Processes deliveries of providers, and raw mail that the command line reads. */
@Injectable()
export class InboundService {
  private readonly logger = new Logger(InboundService.name);

  constructor(
    private readonly sources: SourcesService,
    private readonly secrets: SourceSecrets,
    private readonly inbox: InboxService,
    private readonly network: ProviderNetwork,
    private readonly links: LinksService,
    private readonly optOuts: OptOutsService,
  ) {}

  /**
   * Stores the events of a delivery and applies the new ones to the list, both or neither, before the deadline. A message to
   * the address of an unsubscribe link then opts out its recipient; if that fails, the mail server delivers it again.
   *
   * @throws {SourcePausedError}
   * @throws {BadSignatureError} when the provider did not send the delivery; only the number of such deliveries is stored
   * @throws {MalformedBodyError}
   * @throws {LegacyWebhookError}
   * @throws {ServiceUnavailableError} so that the provider tries again
   */
  async receive(request: DeliveryRequest): Promise<Record<string, never>> {
    const { source, body: rawBody, headers } = request;
    if (source.pausedAt) {
      throw new SourcePausedError();
    }
    const [receivedAt, deadline] = [new Date(), deadlineOf(request)];
    const reading = this.read(source, { rawBody, headers, receivedAt });
    const { events, sentTo, singleUseToken } = await this.recordErrors(source, reading);
    const storing = this.store({ source, events, receivedAt, deadline }, singleUseToken);
    await this.recordErrors(source, storing, isOutage);
    if (sentTo.length > 0) {
      await this.optOuts.optOutByMail({ accountId: source.accountId, deadline }, sentTo);
    }
    return {};
  }

  /**
   * A source for {@link InboundService.ingest}.
   *
   * @throws {SourceNotFoundError}
   * @throws {InvalidSourceError} when the source is not one of the provider `mail`
   * @throws {PausedSourceError}
   */
  async getMailSource(id: string): Promise<Source> {
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
    const { events, sentTo } = await mail.readMail(
      message,
      this.secrets.settingsOf(source),
      this.findTargetIn(source),
    );
    const deadline = performance.now() + REQUEST_TIME_LIMIT_MS;
    const results = (await this.inbox.store({ source, events, receivedAt: new Date(), deadline }))!;
    const hasOptedOut = await this.optOuts.optOutByMail({ accountId: source.accountId, deadline }, sentTo);
    return { events: events.map((event, index) => ({ event, ...results[index]! })), hasOptedOut };
  }

  private async read(source: Source, request: InboundRequest): Promise<ReadDelivery> {
    const provider = providerOf(source.provider);
    const settings = this.settingsOf(source);
    const { singleUseToken, confirm } = await provider.verify(request, settings, this.network);
    const read = await readBody(provider, request, settings, this.findTargetIn(source));
    if (confirm) {
      await this.network.confirm(confirm);
    }
    return { ...read, singleUseToken };
  }

  private findTargetIn({ accountId }: Source): FindTarget {
    return (token) => this.links.findTarget(accountId, token);
  }

  private settingsOf(source: Source): SourceSettings {
    try {
      return this.secrets.settingsOf(source);
    } catch (error) {
      if (error instanceof OperatorError) {
        this.logger.error({
          msg: 'the secrets of a source cannot be read',
          accountId: source.accountId,
          source: source.id,
          reason: error.message,
        });
        throw new ServiceUnavailableError('The secrets of this source cannot be read. Try again later.');
      }
      throw error;
    }
  }

  private async store(delivery: Delivery, singleUseToken: string | undefined): Promise<void> {
    const token =
      singleUseToken === undefined ? undefined : { value: singleUseToken, identifiesEvents: false };
    if (!(await this.inbox.store(delivery, token))) {
      throw new BadSignatureError('its token was used for another event, or at another source');
    }
  }

  /** Records an error for `source show`, and throws it again whether that succeeds or not. */
  private async recordErrors<Result>(
    source: Source,
    step: Promise<Result>,
    isIgnored: (error: unknown) => boolean = () => false,
  ): Promise<Result> {
    try {
      return await step;
    } catch (error) {
      if (!isIgnored(error)) {
        const recorded =
          error instanceof BadSignatureError
            ? this.sources.countBadSignature(source, error.message)
            : this.sources.recordError(source, error instanceof ApiError ? error.message : UNEXPECTED);
        await recorded.catch(() => this.logger.debug('could not record the error of a source'));
      }
      throw error;
    }
  }
}

/** An outage is not an error of the source, and each delivery during an outage would update the same row. */
function isOutage(error: unknown): boolean {
  return error instanceof ServiceUnavailableError || isDatabaseUnavailable(error);
}

async function readBody(
  provider: Provider,
  { rawBody, headers }: InboundRequest,
  settings: SourceSettings,
  findTarget: FindTarget,
): Promise<ReadMail> {
  if (provider.takesMail) {
    return provider.readMail(rawBody, settings, findTarget);
  }
  const events = await readInChunks(parseJson(rawBody), (part) => provider.read(part, settings, headers));
  return { events, sentTo: [] };
}

/** Reading an event takes about a tenth of a millisecond. */
const EVENTS_PER_CHUNK = 100;

/**
 * Reads a batch a few events at a time, so that other requests need not wait for all of it.
 *
 * @throws {MalformedBodyError} when the batch has too many events
 */
async function readInChunks(
  body: unknown,
  read: (part: unknown) => DeliveryEvent[] | Promise<DeliveryEvent[]>,
): Promise<DeliveryEvent[]> {
  if (!Array.isArray(body) || body.length <= EVENTS_PER_CHUNK) {
    return read(body);
  }
  const events: DeliveryEvent[] = [];
  for (let first = 0; first < requireArray(body).length; first += EVENTS_PER_CHUNK) {
    events.push(...(await read(body.slice(first, first + EVENTS_PER_CHUNK))));
    await setImmediate();
  }
  return events;
}
