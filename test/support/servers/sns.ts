import { sign, type KeyObject } from 'node:crypto';
import { NOW } from '../deliveries.js';

export const TOPIC = 'arn:aws:sns:us-east-1:123456789012:bounces';
export const CERTIFICATE_URL = `https://sns.us-east-1.amazonaws.com/SimpleNotificationService-${'0a'.repeat(16)}.pem`;

export type Fields = Record<string, string>;

/** A message of Amazon SNS about a message of Amazon SES. */
export function envelope(message: unknown, fields: Fields = {}): Fields {
  return {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: TOPIC,
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    Timestamp: NOW.toISOString(),
    SignatureVersion: '2',
    SigningCertURL: CERTIFICATE_URL,
    UnsubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe',
    ...fields,
  };
}

/** The first message to a new subscription, with an address that nobody should follow. */
export function confirmation(fields: Fields = {}): Fields {
  const SubscribeURL = 'https://attacker.example/?Action=ConfirmSubscription';
  return envelope('You have chosen to subscribe.', {
    Type: 'SubscriptionConfirmation',
    Token: 'a token&more',
    SubscribeURL,
    ...fields,
  });
}

/** Signed as Amazon SNS signs. */
export function signed(fields: Fields, privateKey: KeyObject): Fields {
  const names =
    fields.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names
    .filter((name) => name in fields)
    .map((name) => `${name}\n${fields[name]}\n`)
    .join('');
  const algorithm = fields.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  return { ...fields, Signature: sign(algorithm, Buffer.from(text), privateKey).toString('base64') };
}
