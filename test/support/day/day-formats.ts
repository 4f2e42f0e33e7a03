import { createHmac, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import type { ProviderName } from '../../../src/inbound/providers/providers.js';
import type { StoredOptions } from '../../../src/inbound/sources/source.entity.js';
import { createCertificate } from '../servers/certificate.js';
import { basic } from '../deliveries.js';
import { envelope, signed, TOPIC } from '../servers/sns.js';
import type { Headers } from '../sources.js';

/** What happened, before it is written in the format of a provider. */
export type EventType =
  | 'hard'
  | 'soft'
  | 'complaint'
  | 'unsubscribe'
  | 'manual'
  | 'resubscribe'
  | 'removed'
  | 'listed'
  | 'listed-complaint'
  | 'listed-manual'
  | 'delivered'
  | 'unknown';

export interface SimulatedEvent {
  /** Unique. */
  number: number;
  source: string;
  type: EventType;
  email: string;
  /** The sender's own id of the email. */
  mail: string;
  /** Unique. In full seconds, since some providers report no fractions. */
  occurredAt: Date;
  /** When the provider sends it first. */
  sentAt: Date;
}

/** How a provider writes events, and how it proves that it sent them. */
export interface EventFormat {
  /** Undefined for the account's own mailers. */
  provider: ProviderName | undefined;
  maxEvents: number;
  options?: StoredOptions;
  secrets?: Record<string, string>;
  writers: Partial<Record<EventType, (simulated: SimulatedEvent) => object>>;
  bodyOf(events: object[], id: string): unknown;
  /** The headers that authenticate an attempt. */
  authenticate(text: string, id: string, secrets: Record<string, string>): Headers;
}

const HARD = '550 5.1.1 no such user';
const SOFT = '452 4.2.2 mailbox full';
const MAIL_FIELD = { emailIdField: 'mail' };
const GROUP = 7;

const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const mailgunKey = randomUUID();
const year = new Date().getUTCFullYear();
/** The certificate of Amazon SNS, with its private key. */
export const snsCertificate = createCertificate(
  new Date(Date.UTC(year - 1, 0)),
  new Date(Date.UTC(year + 2, 0)),
);

export const FORMATS: Readonly<Record<string, EventFormat>> = {
  resend: {
    provider: 'resend',
    maxEvents: 1,
    options: MAIL_FIELD,
    secrets: { signing_secret: `whsec_${randomBytes(24).toString('base64')}` },
    writers: {
      hard: (simulated) =>
        resendMail(simulated, 'bounced', {
          bounce: { type: 'Permanent', subType: 'General', diagnosticCode: [HARD] },
        }),
      soft: (simulated) =>
        resendMail(simulated, 'bounced', {
          bounce: { type: 'Transient', subType: 'MailboxFull', message: SOFT },
        }),
      complaint: (simulated) =>
        resendAddress(simulated, 'suppression.added', { origin: 'complaint', source_id: simulated.mail }),
      manual: (simulated) =>
        resendAddress(simulated, 'suppression.added', { origin: 'manual', source_id: null }),
      unsubscribe: (simulated) => resendAddress(simulated, 'contact.updated', { unsubscribed: true }),
      resubscribe: (simulated) => resendAddress(simulated, 'contact.updated', { unsubscribed: false }),
      removed: (simulated) => resendAddress(simulated, 'suppression.removed', {}),
      'listed-manual': (simulated) => resendMail(simulated, 'suppressed', {}),
      delivered: (simulated) => resendMail(simulated, 'delivered', {}),
      unknown: (simulated) => resendMail(simulated, 'wondered', {}),
    },
    bodyOf: ([event]) => event,
    authenticate: (text, id, { signing_secret }) => {
      const timestamp = nowSeconds();
      const key = Buffer.from(signing_secret!.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64');
      return { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` };
    },
  },
  ses: {
    provider: 'ses',
    maxEvents: 1,
    options: { ...MAIL_FIELD, topicArns: [TOPIC] },
    writers: {
      hard: (simulated) => sesBounce(simulated, 'Permanent', 'NoEmail', HARD),
      soft: (simulated) => sesBounce(simulated, 'Transient', 'MailboxFull', SOFT),
      listed: (simulated) => sesBounce(simulated, 'Permanent', 'OnAccountSuppressionList', ''),
      complaint: (simulated) =>
        sesEvent(simulated, 'Complaint', {
          complainedRecipients: [{ emailAddress: simulated.email }],
          complaintFeedbackType: 'abuse',
        }),
      unsubscribe: (simulated) => sesSubscription(simulated, false, true),
      resubscribe: (simulated) => sesSubscription(simulated, true, false),
      delivered: (simulated) => sesEvent(simulated, 'Delivery', { recipients: [simulated.email] }),
    },
    bodyOf: ([event], id) =>
      signed(
        envelope(event, { MessageId: id, Timestamp: new Date().toISOString() }),
        snsCertificate.privateKey,
      ),
    authenticate: () => ({ 'Content-Type': 'text/plain; charset=UTF-8' }),
  },
  sendgrid: {
    provider: 'sendgrid',
    maxEvents: 12,
    options: MAIL_FIELD,
    secrets: {
      verification_key: sendgridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
    writers: {
      hard: (simulated) =>
        sendgridEvent(simulated, 'bounce', {
          bounce_classification: 'Invalid Address',
          status: '5.1.1',
          reason: HARD,
        }),
      soft: (simulated) =>
        sendgridEvent(simulated, 'bounce', { bounce_classification: 'Technical Failure', reason: SOFT }),
      complaint: (simulated) => sendgridEvent(simulated, 'spamreport'),
      unsubscribe: (simulated) => sendgridEvent(simulated, 'unsubscribe'),
      resubscribe: (simulated) => sendgridEvent(simulated, 'group_resubscribe', { asm_group_id: GROUP }),
      listed: (simulated) => sendgridEvent(simulated, 'dropped', { reason: 'Bounced Address' }),
      delivered: (simulated) => sendgridEvent(simulated, 'delivered'),
      unknown: (simulated) => sendgridEvent(simulated, 'wondered'),
    },
    bodyOf: (events) => events,
    authenticate: (text) => {
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
    maxEvents: 1,
    options: { ...MAIL_FIELD, softLimit: { failures: 2, days: 7 } },
    writers: {
      hard: (simulated) => postmarkRecord(simulated, 'Bounce', { Type: 'HardBounce', Details: HARD }),
      soft: (simulated) => postmarkRecord(simulated, 'Bounce', { Type: 'SoftBounce', Details: SOFT }),
      complaint: (simulated) => postmarkRecord(simulated, 'SpamComplaint', {}),
      unsubscribe: (simulated) => postmarkChange(simulated, true, 'Recipient'),
      manual: (simulated) => postmarkChange(simulated, true, 'Customer'),
      resubscribe: (simulated) => postmarkChange(simulated, false, 'Recipient'),
      delivered: (simulated) => postmarkRecord(simulated, 'Delivery', {}),
      unknown: (simulated) => postmarkRecord(simulated, 'Wonder', {}),
    },
    bodyOf: ([event]) => event,
    authenticate: withPassword,
  },
  mailgun: {
    provider: 'mailgun',
    maxEvents: 1,
    options: MAIL_FIELD,
    secrets: { signing_key: mailgunKey },
    writers: {
      hard: (simulated) => mailgunFailure(simulated, 'bounce', HARD),
      soft: (simulated) => mailgunFailure(simulated, 'old', SOFT),
      listed: (simulated) =>
        mailgunFailure(simulated, 'suppress-bounce', 'Not delivering to previously bounced address'),
      'listed-complaint': (simulated) =>
        mailgunFailure(simulated, 'suppress-complaint', 'Not delivering to a user who complained'),
      complaint: (simulated) => mailgunEvent(simulated, 'complained'),
      unsubscribe: (simulated) => mailgunEvent(simulated, 'unsubscribed'),
      delivered: (simulated) => mailgunEvent(simulated, 'delivered'),
      unknown: (simulated) => mailgunEvent(simulated, 'wondered'),
    },
    bodyOf: ([event]) => {
      const timestamp = nowSeconds();
      const token = randomBytes(25).toString('hex');
      const signature = createHmac('sha256', mailgunKey)
        .update(timestamp + token)
        .digest('hex');
      return { signature: { timestamp, token, signature }, 'event-data': event };
    },
    authenticate: () => ({}),
  },
  sparkpost: sparkpost(),
  'sparkpost-other': sparkpost(),
  brevo: {
    provider: 'brevo',
    maxEvents: 8,
    options: MAIL_FIELD,
    writers: {
      hard: (simulated) => brevoEvent(simulated, 'hard_bounce', HARD),
      soft: (simulated) => brevoEvent(simulated, 'soft_bounce', SOFT),
      complaint: (simulated) => brevoEvent(simulated, 'spam'),
      unsubscribe: (simulated) => brevoEvent(simulated, 'unsubscribed'),
      'listed-manual': (simulated) => brevoEvent(simulated, 'blocked'),
      delivered: (simulated) => brevoEvent(simulated, 'delivered'),
      unknown: (simulated) => brevoEvent(simulated, 'wondered'),
    },
    bodyOf: (events) => (events.length === 1 ? events[0] : events),
    authenticate: (_text, _id, { password }) => ({ Authorization: `Bearer ${password}` }),
  },
  mailjet: {
    provider: 'mailjet',
    maxEvents: 20,
    options: { emailIdField: 'CustomID' },
    writers: {
      hard: (simulated) =>
        mailjetEvent(simulated, 'bounce', { hard_bounce: true, error: 'user unknown', comment: HARD }),
      soft: (simulated) => mailjetEvent(simulated, 'bounce', { hard_bounce: false, error: 'quota exceeded' }),
      complaint: (simulated) => mailjetEvent(simulated, 'spam'),
      unsubscribe: (simulated) => mailjetEvent(simulated, 'unsub'),
      listed: (simulated) => mailjetEvent(simulated, 'blocked', { error: 'preblocked' }),
      delivered: (simulated) => mailjetEvent(simulated, 'sent'),
      unknown: (simulated) => mailjetEvent(simulated, 'wondered'),
    },
    bodyOf: (events) => (events.length === 1 ? events[0] : events),
    authenticate: withPassword,
  },
  event: {
    provider: undefined,
    maxEvents: 10,
    writers: {
      hard: (simulated) => ownEvent(simulated, 'bounce', { status: '5.1.1', diagnostic: HARD }),
      soft: (simulated) => ownEvent(simulated, 'bounce', { status: '4.2.2', diagnostic: SOFT }),
      complaint: (simulated) => ownEvent(simulated, 'complaint'),
      unsubscribe: (simulated) => ownEvent(simulated, 'unsubscribe'),
    },
    bodyOf: (events) => events,
    authenticate: (_text, id, { key }) => ({ Authorization: `Bearer ${key}`, 'Idempotency-Key': id }),
  },
};

function sparkpost(): EventFormat {
  return {
    provider: 'sparkpost',
    maxEvents: 15,
    options: MAIL_FIELD,
    writers: {
      hard: (simulated) => sparkpostEvent(simulated, 'bounce', { bounce_class: '10', raw_reason: HARD }),
      soft: (simulated) => sparkpostEvent(simulated, 'out_of_band', { bounce_class: '22', raw_reason: SOFT }),
      complaint: (simulated) => sparkpostEvent(simulated, 'spam_complaint', { fbtype: 'abuse' }),
      unsubscribe: (simulated) => sparkpostEvent(simulated, 'list_unsubscribe'),
      delivered: (simulated) => sparkpostEvent(simulated, 'delivery'),
      unknown: (simulated) => sparkpostEvent(simulated, 'wonder'),
    },
    bodyOf: (events) => events,
    authenticate: withPassword,
  };
}

function withPassword(_text: string, _id: string, { username, password }: Record<string, string>): Headers {
  return basic(username!, password!) as Headers;
}

function resendMail({ email, mail, occurredAt }: SimulatedEvent, type: string, more: object): object {
  const data = { email_id: randomUUID(), to: [email], tags: { mail }, ...more };
  return { type: `email.${type}`, created_at: occurredAt.toISOString(), data };
}

function resendAddress({ email, occurredAt }: SimulatedEvent, type: string, more: object): object {
  return { type, created_at: occurredAt.toISOString(), data: { email, ...more } };
}

function sesBounce(
  simulated: SimulatedEvent,
  bounceType: string,
  bounceSubType: string,
  diagnosticCode: string,
): object {
  const bouncedRecipients = [{ emailAddress: simulated.email, action: 'failed', diagnosticCode }];
  return sesEvent(simulated, 'Bounce', { bounceType, bounceSubType, bouncedRecipients });
}

function sesSubscription(simulated: SimulatedEvent, before: boolean, now: boolean): object {
  return sesEvent(simulated, 'Subscription', {
    oldTopicPreferences: { unsubscribeAll: before },
    newTopicPreferences: { unsubscribeAll: now },
  });
}

function sesEvent({ email, mail, occurredAt }: SimulatedEvent, eventType: string, about: object): object {
  return {
    eventType,
    mail: { messageId: randomUUID(), destination: [email], tags: { mail: [mail] } },
    [eventType.toLowerCase()]: { ...about, timestamp: occurredAt.toISOString() },
  };
}

function sendgridEvent(simulated: SimulatedEvent, event: string, more: object = {}): object {
  return {
    email: simulated.email,
    timestamp: seconds(simulated),
    event,
    sg_event_id: `sendgrid-${simulated.number}`,
    mail: simulated.mail,
    ...more,
  };
}

function postmarkRecord(
  { number, email, mail, occurredAt }: SimulatedEvent,
  RecordType: string,
  more: object,
): object {
  const BouncedAt = occurredAt.toISOString();
  return { RecordType, ID: number, Email: email, BouncedAt, Metadata: { mail }, ...more };
}

function postmarkChange(
  { email, mail, occurredAt }: SimulatedEvent,
  SuppressSending: boolean,
  Origin: string,
): object {
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

function mailgunFailure(simulated: SimulatedEvent, reason: string, message: string): object {
  return mailgunEvent(simulated, 'failed', { severity: 'permanent', reason, 'delivery-status': { message } });
}

function mailgunEvent(simulated: SimulatedEvent, event: string, more: object = {}): object {
  return {
    event,
    id: `mailgun-${simulated.number}`,
    timestamp: seconds(simulated),
    recipient: simulated.email,
    'user-variables': { mail: simulated.mail },
    ...more,
  };
}

function sparkpostEvent(simulated: SimulatedEvent, type: string, more: object = {}): object {
  const message_event = {
    type,
    event_id: `sparkpost-${simulated.number}`,
    timestamp: String(seconds(simulated)),
    raw_rcpt_to: simulated.email,
    rcpt_meta: { mail: simulated.mail },
    ...more,
  };
  return { msys: { message_event } };
}

function brevoEvent({ email, mail, occurredAt }: SimulatedEvent, event: string, reason?: string): object {
  return { event, email, ts_epoch: occurredAt.getTime(), 'X-Mailin-custom': mail, ...(reason && { reason }) };
}

function mailjetEvent(simulated: SimulatedEvent, event: string, more: object = {}): object {
  return { event, time: seconds(simulated), email: simulated.email, CustomID: simulated.mail, ...more };
}

function ownEvent({ email, mail, occurredAt }: SimulatedEvent, type: string, more: object = {}): object {
  return { type, email, source_id: mail, occurred_at: occurredAt.toISOString(), ...more };
}

function seconds({ occurredAt }: SimulatedEvent): number {
  return occurredAt.getTime() / 1000;
}

function nowSeconds(): string {
  return String(Math.floor(Date.now() / 1000));
}
