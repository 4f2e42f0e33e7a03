import { verify as verifySignature, type X509Certificate } from 'node:crypto';
import { Invalid } from '../../../validation/parsers.js';
import { parseJson, requireObject, stringAt } from '../../parsing/json.js';
import { fromIso } from '../../parsing/timestamp.js';
import { BadSignatureError, requireFresh } from '../proof.js';
import {
  EMAIL_ID_FIELD,
  UNREPORTED,
  type SourceOption,
  type Verified,
  type InboundRequest,
  type Network,
  type Provider,
  type SourceSettings,
} from '../provider.js';
import { readSes } from './read.js';

/**
 * The accepted topics. Amazon SNS signs for everybody's topics, so other topics are not trusted, and their subscriptions are
 * not confirmed.
 */
export const TOPIC_ARNS: SourceOption = {
  name: 'topicArns',
  flag: '--topic-arn <arn>',
  description: 'Amazon SNS topic to accept',
  isList: true,
  required: 'Name the topics to accept with --topic-arn.',
  parse: (text) =>
    hostOf(text) === undefined
      ? new Invalid('must have the form arn:aws:sns:<region>:<account>:<topic>')
      : text,
};

const LIST = { name: "Amazon SES's suppression list", path: 'Configuration > Suppression list' };

/**
 * Amazon SES through Amazon SNS: https://docs.aws.amazon.com/ses/latest/dg/monitor-sending-activity-using-notifications-sns.html
 */
export const ses = {
  name: 'ses',
  secrets: [],
  options: [TOPIC_ARNS, EMAIL_ID_FIELD],
  units: ['topic', 'list'],
  setup: [
    'In Amazon SNS, create a topic of type Standard and set its signature version to 2. This source needs its ARN.',
    'In Amazon SES, send bounce and complaint notifications, or the events of a configuration set, to the topic.',
    'In Amazon SNS, subscribe this URL to the topic with the protocol HTTPS and without raw message delivery.',
    'The subscription confirms itself. Give it a delivery policy with many retries, and a dead-letter queue.',
  ],
  suppressionLists: {
    bounce: LIST,
    complaint: LIST,
    unsubscribe: { name: "Amazon SES's contact list", path: 'the operation UpdateContact of its API' },
    manual: UNREPORTED,
  },
  verify: verifySes,
  read: readSes,
} as const satisfies Provider;

/** A dead-letter queue keeps notifications for up to 14 days, and an operator can replay them. */
const MAX_AGE_SECONDS = 15 * 24 * 60 * 60;
/** Only on the host of the topic's region: other hosts of Amazon may serve the buckets of strangers. */
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
]);
/** The signed fields, in order. */
const NOTIFICATION_FIELDS = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const CONFIRMATION_FIELDS = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
];
const SIGNED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Notification', NOTIFICATION_FIELDS],
  ['SubscriptionConfirmation', CONFIRMATION_FIELDS],
  ['UnsubscribeConfirmation', CONFIRMATION_FIELDS],
]);

/**
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html. Amazon signs for everybody's topics: the
 * signature proves that Amazon sent the message, and the allow-list proves that the topic is ours.
 */
export async function verifySes(
  { rawBody, receivedAt }: InboundRequest,
  { options }: SourceSettings,
  network: Network,
): Promise<Verified> {
  const body = requireObject(parseJson(rawBody));
  const topicArn = stringAt(body, 'TopicArn');
  if (!topicArn) {
    throw new BadSignatureError('it names no topic; the subscription must not use raw message delivery');
  }
  if (!options.topicArns?.includes(topicArn)) {
    throw new BadSignatureError('its topic is not one of this source');
  }
  requireFresh(publishedAt(body), receivedAt, MAX_AGE_SECONDS);
  const certificate = await certificateOf(body, receivedAt, network);
  if (!isSignedBy(certificate, body)) {
    throw new BadSignatureError('its signature does not match');
  }
  return stringAt(body, 'Type') === 'SubscriptionConfirmation'
    ? { confirm: confirmationOf(topicArn, stringAt(body, 'Token')) }
    : {};
}

function publishedAt(body: unknown): number {
  const published = fromIso(stringAt(body, 'Timestamp'));
  if (!published) {
    throw new BadSignatureError('it has no valid timestamp');
  }
  return published.getTime() / 1000;
}

async function certificateOf(body: unknown, receivedAt: Date, network: Network): Promise<X509Certificate> {
  const url = stringAt(body, 'SigningCertURL') ?? '';
  const origin = `https://${hostOf(stringAt(body, 'TopicArn') ?? '')}`;
  if (!url.startsWith(`${origin}/`) || !CERTIFICATE_PATH.test(url.slice(origin.length))) {
    throw new BadSignatureError('its certificate is not at Amazon SNS');
  }
  const certificate = await network.fetchCertificate(url);
  if (receivedAt < new Date(certificate.validFrom) || receivedAt > new Date(certificate.validTo)) {
    throw new BadSignatureError('its certificate is not valid now');
  }
  return certificate;
}

function isSignedBy({ publicKey }: X509Certificate, body: unknown): boolean {
  const digest = DIGESTS.get(stringAt(body, 'SignatureVersion') ?? '');
  const fields = SIGNED_FIELDS.get(stringAt(body, 'Type') ?? '');
  const signature = stringAt(body, 'Signature');
  return (
    digest !== undefined &&
    fields !== undefined &&
    signature !== undefined &&
    publicKey.asymmetricKeyType === 'rsa' &&
    verifySignature(
      digest,
      Buffer.from(signedText(body, fields)),
      publicKey,
      Buffer.from(signature, 'base64'),
    )
  );
}

/** The name and the value of each present field, one per line. */
function signedText(body: unknown, fields: readonly string[]): string {
  return fields
    .map((field) => [field, stringAt(body, field)] as const)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field}\n${value}\n`)
    .join('');
}

/** https://docs.aws.amazon.com/sns/latest/api/API_Topic.html; China has a partition and a domain of its own. */
const TOPIC_ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]{3,40}):\d{12}:[\w-]{1,256}$/;

/**
 * The request `ConfirmSubscription` for a topic of the source. The address in the message is not used: the host must
 * follow from the topic. https://docs.aws.amazon.com/sns/latest/api/API_ConfirmSubscription.html
 *
 * @throws {BadSignatureError} when the ARN or the token is invalid
 */
function confirmationOf(topicArn: string, token: string | undefined): string {
  const host = hostOf(topicArn);
  if (!host || !token) {
    throw new BadSignatureError('its topic or its token is not valid');
  }
  const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: token });
  return `https://${host}/?${query}`;
}

/**
 * The host of Amazon SNS in the region of a topic; undefined if the ARN is invalid. Other hosts below Amazon's domain may
 * be buckets of strangers.
 */
function hostOf(topicArn: string): string | undefined {
  const [, partition, region] = TOPIC_ARN.exec(topicArn) ?? [];
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return region && `sns.${region}.${domain}`;
}
