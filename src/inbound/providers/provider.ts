import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import type { LinkTarget } from '../../unsubscribe-links/token.js';
import type { Invalid } from '../../validation/parsers.js';
import type { DeliveryEvent, UnitKind } from '../parsing/delivery-event.js';

/**
 * A mail provider that reports deliveries by webhook, or a mail server that hands over its bounces. Each has a folder, and
 * none has state or access to the database. Nothing in a request may be believed before `verify` has passed.
 */
export type Provider = JsonProvider | MailProvider;

interface CommonProvider {
  readonly name: string;
  readonly secrets: readonly Secret[];
  readonly options: readonly SourceOption[];
  /** The kinds of mail that a recipient can leave one by one, and that a source can map to topics. */
  readonly units?: readonly UnitKind[];
  /** The steps that a person takes in the provider's console. */
  readonly setup: readonly string[];
  /** The provider's own lists, on which an address remains after its cause was removed here. */
  readonly suppressionLists: Readonly<Record<Cause, SuppressionList | NoSuppressionList>>;

  /**
   * Verifies that the provider sent this request to this source, and did so recently.
   *
   * @throws {BadSignatureError} if it is not proven
   * @throws {MalformedBodyError} if the proof is in a body that cannot be read
   * @throws {ServiceUnavailableError} if the proof cannot be checked now
   */
  verify(request: InboundRequest, source: SourceSettings, network: Network): Promise<Verified>;
}

export interface JsonProvider extends CommonProvider {
  readonly takesMail?: false;

  /**
   * Reads a verified body into one event for each recipient.
   *
   * @param body - what `parseJson` returned
   * @throws {MalformedBodyError} and no other error, whatever the body is
   */
  read(
    body: unknown,
    source: SourceSettings,
    headers: IncomingHttpHeaders,
  ): DeliveryEvent[] | Promise<DeliveryEvent[]>;
}

/** A provider whose request bodies are raw messages, which may be large and are read as bytes. */
export interface MailProvider extends CommonProvider {
  readonly takesMail: true;

  /** @throws {MalformedBodyError} if the message is empty */
  readMail(message: Buffer, source: SourceSettings, findTarget: FindTarget): Promise<ReadMail>;
}

/** What a token of an unsubscribe link of the account was made for. */
export type FindTarget = (token: string) => Promise<LinkTarget | null>;

export interface ReadMail {
  /** One for each recipient that the message reports on. */
  events: DeliveryEvent[];
  /** The addresses that the message itself was sent to. */
  sentTo: EmailAddress[];
}

export interface SuppressionList {
  /** As in "still on SendGrid's bounce list". */
  readonly name: string;
  /** Where a person removes an address from it, as in "Suppressions > Bounces". */
  readonly path: string;
}

export interface NoSuppressionList {
  /** A sentence that tells a person who removed an address why there is no list to name. */
  readonly none: string;
}

/** Why a provider names no list for the cause `manual`. */
export const UNREPORTED: NoSuppressionList = {
  none: 'The provider does not report the addresses that somebody puts on its list.',
};

export interface InboundRequest {
  /** Exactly the bytes that arrived, since they were signed. */
  rawBody: Buffer;
  headers: IncomingHttpHeaders;
  receivedAt: Date;
}

/** A value that the source stores encrypted. */
export interface Secret {
  readonly name: string;
  /** A sentence: where to find it, or where to enter it. */
  readonly description: string;
  /** `service`: the service generates it, and a person enters it at the provider. `provider`: the reverse. */
  readonly generatedBy: 'service' | 'provider';
  /** @returns a sentence for a person; undefined if this can be the secret */
  problemWith?(value: string): string | undefined;
}

/** What a person chose for a source. Each provider takes some of these options. */
export interface SourceOptions {
  readonly emailIdField?: string;
  readonly topicArns?: readonly string[];
  readonly contactLists?: readonly number[];
  readonly messageIdDomains?: readonly string[];
  readonly unproven?: 'allow' | 'refuse';
}

export interface SourceOption {
  readonly name: keyof SourceOptions;
  /** The flag on the command line, such as `--topic-arn <arn>`. */
  readonly flag: string;
  readonly description: string;
  /** Whether a source can have several values, each with a flag of its own. */
  readonly isList?: true;
  /** The values that a form offers, with their labels. The one under the empty text stands for none. */
  readonly choices?: Readonly<Record<string, string>>;
  /** A sentence that says what to do if the option is missing; undefined if it is optional. */
  readonly required?: string;
  /** Parses one value. Parsing the result again returns the same value. */
  parse(text: string): string | number | Invalid;
}

/** Every provider returns a field that a sender can attach to an email. */
export const EMAIL_ID_FIELD: SourceOption = {
  name: 'emailIdField',
  flag: '--email-id-field <field>',
  description: 'Tag, variable, metadata, or header field with your own UUID of the email',
  parse: (text) => text,
};

export interface SourceSettings {
  readonly secrets: Readonly<Record<string, string>>;
  readonly options: SourceOptions;
}

/** Access to the network, which tests can fake. */
export interface Network {
  fetchCertificate(url: string): Promise<X509Certificate>;
}

/** Follow-up work that a verified request requires. */
export interface Verified {
  /**
   * Identifies a token that the provider uses for one event only (Mailgun, whose signature does not cover the body), and
   * the key that signed it. It must be spent in the transaction that stores the events: the same token with the same event
   * keys at the same source is a retry, and anything else is a forgery.
   */
  singleUseToken?: string;
  /** The URL that confirms a subscription (Amazon SNS), built from the ARN, never the URL in the message. */
  confirm?: string;
}
