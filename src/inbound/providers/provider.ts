import type { IncomingHttpHeaders } from 'node:http';
import type { DeliveryEvent, DeliveryEventKind } from '../parsing/delivery-event.js';

/**
 * A mail provider that tells us about deliveries by webhook, or a mail server that hands over its bounces. All of them are alike: a folder each, no state, no
 * database. Nothing of a request may be believed before `verify` has passed.
 */
export interface Provider {
  readonly name: string;
  /** What `verify` needs to know. */
  readonly secrets: readonly Secret[];
  /** What else a source of this provider can be told. */
  readonly options: readonly (keyof SourceOptions)[];
  /** What a person does in the provider's console, one sentence each. */
  readonly setup: readonly string[];
  /** The provider's own lists, by the kind of the events that say that an address was on one already. */
  readonly suppressionLists?: Partial<Record<DeliveryEventKind, SuppressionList>>;
  /** A body is a raw message, which may be large, and comes to `read` as octets; else it is JSON. */
  readonly takesMail?: boolean;

  /**
   * Proves that the provider sent this request, lately, to this source.
   *
   * @throws {BadSignatureError} when it is not proven
   * @throws {MalformedBodyError} when the proof stands in the body and the body cannot be read
   * @throws {ServiceUnavailableError} when the proof cannot be checked now
   */
  verify(request: InboundRequest, source: SourceSettings, network: Network): Promise<Verified>;

  /**
   * What the verified body says, an event for each recipient. The body comes from `parseJson`, or is a Buffer.
   *
   * @throws {MalformedBodyError} and nothing else, whatever the body
   */
  read(
    body: unknown,
    headers: IncomingHttpHeaders,
    source: SourceSettings,
  ): DeliveryEvent[] | Promise<DeliveryEvent[]>;
}

export interface SuppressionList {
  /** As in "still on SendGrid's bounce list". */
  readonly name: string;
  /** Where a person finds it in the provider's console. */
  readonly path: string;
}

export interface InboundRequest {
  /** Exactly the octets that arrived. */
  rawBody: Buffer;
  headers: IncomingHttpHeaders;
  receivedAt: Date;
}

/** A value that the source keeps encrypted. */
export interface Secret {
  readonly name: string;
  /** A sentence: where a person gets it, or where to put it. */
  readonly description: string;
  /** `us`: made by the service, pasted at the provider. `provider`: the other way round. */
  readonly madeBy: 'us' | 'provider';
  /** @returns why this cannot be the secret, as a sentence for a person; undefined when it can */
  problemWith?(value: string): string | undefined;
}

export interface SourceSettings {
  /** By the names in {@link Provider.secrets}. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly options: SourceOptions;
}

export interface SourceOptions {
  /** The tag, variable or metadata field in which the sender's own UUID of the mail travels. */
  readonly emailIdField?: string;
  /** Amazon SNS: the topics that may speak here. No other is believed, and no other subscription is confirmed. */
  readonly topicArns?: readonly string[];
  /** SendGrid: the unsubscribe groups that stand for all mail of the account. Mailjet: the contact lists that do. */
  readonly unsubscribeGroups?: readonly number[];
  /** Raw mail: domains of our Message-IDs. A report that returns one of these is on a mail of ours. */
  readonly messageIdDomains?: readonly string[];
  /** Raw mail: believe every report, whoever may have written it. */
  readonly allowUnproven?: boolean;
}

/** The outside world, so that a test can fake it. */
export interface Network {
  /** @returns the certificate in PEM */
  fetchCertificate(url: string): Promise<string>;
}

/** What the caller has to do about a verified request besides reading it. */
export interface Verified {
  /**
   * Made of a token that the provider uses for one event only (Mailgun, whose signature does not cover the body) and of
   * the key that it signs with. Store it in the transaction that stores the events: seen before at the same source with
   * the same event keys it is a retry, else a forgery.
   */
  onceOnly?: string;
  /** A subscription that wants to be confirmed (Amazon SNS): GET this address, follow no redirect. */
  confirm?: SubscriptionConfirmation;
}

export interface SubscriptionConfirmation {
  topicArn: string;
  token: string;
  /** Built from the ARN, never the one in the message. */
  url: string;
}
