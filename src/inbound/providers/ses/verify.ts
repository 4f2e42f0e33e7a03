import { verify as verifySignature, X509Certificate } from 'node:crypto';
import { requireObject } from '../../parsing/batch.js';
import { BadSignatureError } from '../errors.js';
import { parseJson, stringAt } from '../../parsing/json.js';
import { fromIso } from '../../parsing/timestamp.js';
import { requireFresh } from '../proof.js';
import type { InboundRequest, Network, SourceSettings, Verified } from '../provider.js';
import { confirmationOf, hostOf } from './confirmation.js';
import { TOPIC_ARNS } from './options.js';

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
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html. Amazon signs for everybody's topics:
 * the signature proves Amazon, the allow-list proves that the topic is ours.
 */
export async function verifySes(
  { rawBody, receivedAt }: InboundRequest,
  { options }: SourceSettings,
  network: Network,
): Promise<Verified> {
  const body = requireObject(parseJson(rawBody));
  const topicArn = stringAt(body, 'TopicArn');
  if (!topicArn || !TOPIC_ARNS.of(options)?.includes(topicArn)) {
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
  const certificate = parseCertificate(await network.fetchCertificate(url));
  if (receivedAt < new Date(certificate.validFrom) || receivedAt > new Date(certificate.validTo)) {
    throw new BadSignatureError('its certificate is not valid now');
  }
  return certificate;
}

function parseCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new BadSignatureError('its certificate cannot be read');
  }
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
