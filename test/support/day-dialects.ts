import { createHmac, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import type { ProviderName } from '../../src/inbound/providers/providers.js';
import type { StoredOptions } from '../../src/inbound/sources/source.entity.js';
import { createCertificate } from './certificate.js';
import { basic } from './deliveries.js';
import { envelope, signed, TOPIC } from './sns.js';
import type { Headers } from './sources.js';

/** What a sender knows of an event before it is put into the words of a provider. */
export type Fact =
  | 'hard'
  | 'soft'
  | 'complaint'
  | 'unsubscribe'
  | 'manual'
  | 'resubscribe'
  | 'removed'
  | 'listed'
  | 'listed-complaint'
  | 'delivered'
  | 'unknown';

export interface Told {
  /** Another one for each event. */
  number: number;
  source: string;
  fact: Fact;
  email: string;
  /** The sender's own id of the mail. */
  mail: string;
  /** Another one for each event: full seconds, since that is all that some providers tell. */
  occurredAt: Date;
  /** When the provider sends it first. */
  sentAt: Date;
}

/** How a provider writes events, and how it proves that it did. */
export interface Dialect {
  /** Undefined for what an account's own mailers tell. */
  provider: ProviderName | undefined;
  /** The most events in a body. */
  most: number;
  options?: StoredOptions;
  secrets?: Record<string, string>;
  facts: Partial<Record<Fact, (told: Told) => object>>;
  /** The body of some events, the same for the same ones. */
  bodyOf(events: object[], id: string): unknown;
  /** The proof of an attempt. */
  prove(text: string, id: string, secrets: Record<string, string>): Headers;
}

const HARD = '550 5.1.1 no such user';
const SOFT = '452 4.2.2 mailbox full';
const MAIL_FIELD = { emailIdField: 'mail' };
const GROUP = 7;

const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const mailgunKey = randomUUID();
const year = new Date().getUTCFullYear();
/** What Amazon SNS signs with, and what stands at the address of its certificate. */
export const snsCertificate = createCertificate(
  new Date(Date.UTC(year - 1, 0)),
  new Date(Date.UTC(year + 2, 0)),
);

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  resend: {
    provider: 'resend',
    most: 1,
    options: MAIL_FIELD,
    secrets: { signing_secret: `whsec_${randomBytes(24).toString('base64')}` },
    facts: {
      hard: (told) =>
        resendMail(told, 'bounced', {
          bounce: { type: 'Permanent', subType: 'General', diagnosticCode: [HARD] },
        }),
      soft: (told) =>
        resendMail(told, 'bounced', { bounce: { type: 'Transient', subType: 'MailboxFull', message: SOFT } }),
      complaint: (told) =>
        resendAddress(told, 'suppression.added', { origin: 'complaint', source_id: told.mail }),
      manual: (told) => resendAddress(told, 'suppression.added', { origin: 'manual', source_id: null }),
      unsubscribe: (told) => resendAddress(told, 'contact.updated', { unsubscribed: true }),
      resubscribe: (told) => resendAddress(told, 'contact.updated', { unsubscribed: false }),
      removed: (told) => resendAddress(told, 'suppression.removed', {}),
      listed: (told) => resendMail(told, 'suppressed', {}),
      delivered: (told) => resendMail(told, 'delivered', {}),
      unknown: (told) => resendMail(told, 'wondered', {}),
    },
    bodyOf: ([event]) => event,
    prove: (text, id, { signing_secret }) => {
      const timestamp = nowSeconds();
      const key = Buffer.from(signing_secret!.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64');
      return { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` };
    },
  },
  ses: {
    provider: 'ses',
    most: 1,
    options: { ...MAIL_FIELD, topicArns: [TOPIC] },
    facts: {
      hard: (told) => sesBounce(told, 'Permanent', 'NoEmail', HARD),
      soft: (told) => sesBounce(told, 'Transient', 'MailboxFull', SOFT),
      listed: (told) => sesBounce(told, 'Permanent', 'OnAccountSuppressionList', ''),
      complaint: (told) =>
        sesEvent(told, 'Complaint', {
          complainedRecipients: [{ emailAddress: told.email }],
          complaintFeedbackType: 'abuse',
        }),
      unsubscribe: (told) => sesSubscription(told, false, true),
      resubscribe: (told) => sesSubscription(told, true, false),
      delivered: (told) => sesEvent(told, 'Delivery', { recipients: [told.email] }),
    },
    bodyOf: ([event], id) =>
      signed(
        envelope(event, { MessageId: id, Timestamp: new Date().toISOString() }),
        snsCertificate.privateKey,
      ),
    prove: () => ({ 'Content-Type': 'text/plain; charset=UTF-8' }),
  },
  sendgrid: {
    provider: 'sendgrid',
    most: 12,
    options: MAIL_FIELD,
    secrets: {
      verification_key: sendgridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
    facts: {
      hard: (told) =>
        sendgridEvent(told, 'bounce', {
          bounce_classification: 'Invalid Address',
          status: '5.1.1',
          reason: HARD,
        }),
      soft: (told) =>
        sendgridEvent(told, 'bounce', { bounce_classification: 'Technical Failure', reason: SOFT }),
      complaint: (told) => sendgridEvent(told, 'spamreport'),
      unsubscribe: (told) => sendgridEvent(told, 'unsubscribe'),
      resubscribe: (told) => sendgridEvent(told, 'group_resubscribe', { asm_group_id: GROUP }),
      listed: (told) => sendgridEvent(told, 'dropped', { reason: 'Bounced Address' }),
      delivered: (told) => sendgridEvent(told, 'delivered'),
      unknown: (told) => sendgridEvent(told, 'wondered'),
    },
    bodyOf: (events) => events,
    prove: (text) => {
      const timestamp = nowSeconds();
      const signature = sign('sha256', Buffer.from(timestamp + text), sendgridKeys.privateKey);
      return {
        'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
        'X-Twilio-Email-Event-Webhook-Signature': signature.toString('base64'),
      };
    },
  },
  postmark: {
    provider: 'postmark',
    most: 1,
    options: { ...MAIL_FIELD, softLimit: { failures: 2, days: 7 } },
    facts: {
      hard: (told) => postmarkRecord(told, 'Bounce', { Type: 'HardBounce', Details: HARD }),
      soft: (told) => postmarkRecord(told, 'Bounce', { Type: 'SoftBounce', Details: SOFT }),
      complaint: (told) => postmarkRecord(told, 'SpamComplaint', {}),
      unsubscribe: (told) => postmarkChange(told, true, 'Recipient'),
      manual: (told) => postmarkChange(told, true, 'Customer'),
      resubscribe: (told) => postmarkChange(told, false, 'Recipient'),
      delivered: (told) => postmarkRecord(told, 'Delivery', {}),
      unknown: (told) => postmarkRecord(told, 'Wonder', {}),
    },
    bodyOf: ([event]) => event,
    prove: withPassword,
  },
  mailgun: {
    provider: 'mailgun',
    most: 1,
    options: MAIL_FIELD,
    secrets: { signing_key: mailgunKey },
    facts: {
      hard: (told) => mailgunFailure(told, 'bounce', HARD),
      soft: (told) => mailgunFailure(told, 'old', SOFT),
      listed: (told) =>
        mailgunFailure(told, 'suppress-bounce', 'Not delivering to previously bounced address'),
      'listed-complaint': (told) =>
        mailgunFailure(told, 'suppress-complaint', 'Not delivering to a user who complained'),
      complaint: (told) => mailgunEvent(told, 'complained'),
      unsubscribe: (told) => mailgunEvent(told, 'unsubscribed'),
      delivered: (told) => mailgunEvent(told, 'delivered'),
      unknown: (told) => mailgunEvent(told, 'wondered'),
    },
    bodyOf: ([event]) => {
      const timestamp = nowSeconds();
      const token = randomBytes(25).toString('hex');
      const signature = createHmac('sha256', mailgunKey)
        .update(timestamp + token)
        .digest('hex');
      return { signature: { timestamp, token, signature }, 'event-data': event };
    },
    prove: () => ({}),
  },
  sparkpost: sparkpost(),
  'sparkpost-other': sparkpost(),
  brevo: {
    provider: 'brevo',
    most: 8,
    options: MAIL_FIELD,
    facts: {
      hard: (told) => brevoEvent(told, 'hard_bounce', HARD),
      soft: (told) => brevoEvent(told, 'soft_bounce', SOFT),
      complaint: (told) => brevoEvent(told, 'spam'),
      unsubscribe: (told) => brevoEvent(told, 'unsubscribed'),
      listed: (told) => brevoEvent(told, 'blocked'),
      delivered: (told) => brevoEvent(told, 'delivered'),
      unknown: (told) => brevoEvent(told, 'wondered'),
    },
    bodyOf: (events) => (events.length === 1 ? events[0] : events),
    prove: (_text, _id, { password }) => ({ Authorization: `Bearer ${password}` }),
  },
  mailjet: {
    provider: 'mailjet',
    most: 20,
    options: { emailIdField: 'CustomID' },
    facts: {
      hard: (told) =>
        mailjetEvent(told, 'bounce', { hard_bounce: true, error: 'user unknown', comment: HARD }),
      soft: (told) => mailjetEvent(told, 'bounce', { hard_bounce: false, error: 'quota exceeded' }),
      complaint: (told) => mailjetEvent(told, 'spam'),
      unsubscribe: (told) => mailjetEvent(told, 'unsub'),
      listed: (told) => mailjetEvent(told, 'blocked', { error: 'preblocked' }),
      delivered: (told) => mailjetEvent(told, 'sent'),
      unknown: (told) => mailjetEvent(told, 'wondered'),
    },
    bodyOf: (events) => (events.length === 1 ? events[0] : events),
    prove: withPassword,
  },
  event: {
    provider: undefined,
    most: 10,
    facts: {
      hard: (told) => ownEvent(told, 'bounce', { status: '5.1.1', diagnostic: HARD }),
      soft: (told) => ownEvent(told, 'bounce', { status: '4.2.2', diagnostic: SOFT }),
      complaint: (told) => ownEvent(told, 'complaint'),
      unsubscribe: (told) => ownEvent(told, 'unsubscribe'),
    },
    bodyOf: (events) => events,
    prove: (_text, id, { key }) => ({ Authorization: `Bearer ${key}`, 'Idempotency-Key': id }),
  },
};

function sparkpost(): Dialect {
  return {
    provider: 'sparkpost',
    most: 15,
    options: MAIL_FIELD,
    facts: {
      hard: (told) => sparkpostEvent(told, 'bounce', { bounce_class: '10', raw_reason: HARD }),
      soft: (told) => sparkpostEvent(told, 'out_of_band', { bounce_class: '22', raw_reason: SOFT }),
      complaint: (told) => sparkpostEvent(told, 'spam_complaint', { fbtype: 'abuse' }),
      unsubscribe: (told) => sparkpostEvent(told, 'list_unsubscribe'),
      delivered: (told) => sparkpostEvent(told, 'delivery'),
      unknown: (told) => sparkpostEvent(told, 'wonder'),
    },
    bodyOf: (events) => events,
    prove: withPassword,
  };
}

function withPassword(_text: string, _id: string, { username, password }: Record<string, string>): Headers {
  return basic(username!, password!) as Headers;
}

function resendMail({ email, mail, occurredAt }: Told, type: string, more: object): object {
  const data = { email_id: randomUUID(), to: [email], tags: { mail }, ...more };
  return { type: `email.${type}`, created_at: occurredAt.toISOString(), data };
}

function resendAddress({ email, occurredAt }: Told, type: string, more: object): object {
  return { type, created_at: occurredAt.toISOString(), data: { email, ...more } };
}

function sesBounce(told: Told, bounceType: string, bounceSubType: string, diagnosticCode: string): object {
  const bouncedRecipients = [{ emailAddress: told.email, action: 'failed', diagnosticCode }];
  return sesEvent(told, 'Bounce', { bounceType, bounceSubType, bouncedRecipients });
}

function sesSubscription(told: Told, before: boolean, now: boolean): object {
  return sesEvent(told, 'Subscription', {
    oldTopicPreferences: { unsubscribeAll: before },
    newTopicPreferences: { unsubscribeAll: now },
  });
}

function sesEvent({ email, mail, occurredAt }: Told, eventType: string, about: object): object {
  return {
    eventType,
    mail: { messageId: randomUUID(), destination: [email], tags: { mail: [mail] } },
    [eventType.toLowerCase()]: { ...about, timestamp: occurredAt.toISOString() },
  };
}

function sendgridEvent(told: Told, event: string, more: object = {}): object {
  return {
    email: told.email,
    timestamp: seconds(told),
    event,
    sg_event_id: `sendgrid-${told.number}`,
    mail: told.mail,
    ...more,
  };
}

function postmarkRecord({ number, email, mail, occurredAt }: Told, RecordType: string, more: object): object {
  const BouncedAt = occurredAt.toISOString();
  return { RecordType, ID: number, Email: email, BouncedAt, Metadata: { mail }, ...more };
}

function postmarkChange({ email, mail, occurredAt }: Told, SuppressSending: boolean, Origin: string): object {
  return {
    RecordType: 'SubscriptionChange',
    Recipient: email,
    ChangedAt: occurredAt.toISOString(),
    SuppressSending,
    SuppressionReason: SuppressSending ? 'ManualSuppression' : null,
    Origin,
    Metadata: { mail },
  };
}

function mailgunFailure(told: Told, reason: string, message: string): object {
  return mailgunEvent(told, 'failed', { severity: 'permanent', reason, 'delivery-status': { message } });
}

function mailgunEvent(told: Told, event: string, more: object = {}): object {
  return {
    event,
    id: `mailgun-${told.number}`,
    timestamp: seconds(told),
    recipient: told.email,
    'user-variables': { mail: told.mail },
    ...more,
  };
}

function sparkpostEvent(told: Told, type: string, more: object = {}): object {
  const message_event = {
    type,
    event_id: `sparkpost-${told.number}`,
    timestamp: String(seconds(told)),
    raw_rcpt_to: told.email,
    rcpt_meta: { mail: told.mail },
    ...more,
  };
  return { msys: { message_event } };
}

function brevoEvent({ email, mail, occurredAt }: Told, event: string, reason?: string): object {
  return { event, email, ts_epoch: occurredAt.getTime(), 'X-Mailin-custom': mail, ...(reason && { reason }) };
}

function mailjetEvent(told: Told, event: string, more: object = {}): object {
  return { event, time: seconds(told), email: told.email, CustomID: told.mail, ...more };
}

function ownEvent({ email, mail, occurredAt }: Told, type: string, more: object = {}): object {
  return { type, email, source_id: mail, occurred_at: occurredAt.toISOString(), ...more };
}

function seconds({ occurredAt }: Told): number {
  return occurredAt.getTime() / 1000;
}

function nowSeconds(): string {
  return String(Math.floor(Date.now() / 1000));
}
