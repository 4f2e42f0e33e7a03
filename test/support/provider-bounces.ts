import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { Response } from 'supertest';
import type { ProviderName } from '../../src/inbound/providers/providers.js';
import { OWN_UUID } from './deliveries.js';
import { deliveryStatus } from './raw-mail.js';
import {
  createSource,
  mailgunBody,
  post,
  postMail,
  postResend,
  postWithCredential,
  sparkpostBatch,
  type TestSource,
} from './sources.js';
import type { World } from './world.js';

const SECONDS = () => Math.floor(Date.now() / 1000);
const DIAGNOSTIC = '550 5.1.1 no such user';
const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

interface Delivery {
  source: TestSource;
  /** The same each time. */
  send: () => Promise<Response>;
}

/** For each provider: a source, and a delivery of one hard bounce that carries our own id of the mail. */
export const BOUNCES: Record<
  Exclude<ProviderName, 'ses'>,
  (world: World, email: string) => Promise<Delivery>
> = {
  resend: async (world, email) => {
    const source = await createSource(world, 'resend', { options: { emailIdField: 'mail' } });
    const body = {
      type: 'email.bounced',
      created_at: new Date().toISOString(),
      data: {
        email_id: randomUUID(),
        to: [email],
        tags: { mail: OWN_UUID },
        bounce: { type: 'Permanent', subType: 'General', message: 'gone', diagnosticCode: [DIAGNOSTIC] },
      },
    };
    const id = randomUUID();
    return { source, send: () => postResend(world, source, body, id) };
  },
  sendgrid: async (world, email) => {
    const verification_key = sendgridKeys.publicKey
      .export({ format: 'der', type: 'spki' })
      .toString('base64');
    const options = { emailIdField: 'mail' };
    const source = await createSource(world, 'sendgrid', { secrets: { verification_key }, options });
    const body = JSON.stringify([
      {
        email,
        timestamp: SECONDS(),
        event: 'bounce',
        type: 'bounce',
        status: '5.1.1',
        reason: DIAGNOSTIC,
        sg_event_id: randomUUID(),
        mail: OWN_UUID,
      },
    ]);
    const timestamp = String(SECONDS());
    const signature = sign('sha256', Buffer.from(timestamp + body), sendgridKeys.privateKey);
    const headers = {
      'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
      'X-Twilio-Email-Event-Webhook-Signature': signature.toString('base64'),
    };
    return { source, send: () => post(world, source, body, headers) };
  },
  postmark: async (world, email) => {
    const source = await createSource(world, 'postmark', { options: { emailIdField: 'mail' } });
    const body = {
      RecordType: 'Bounce',
      ID: 42,
      Type: 'HardBounce',
      Email: email,
      Details: DIAGNOSTIC,
      Metadata: { mail: OWN_UUID },
    };
    return { source, send: () => postWithCredential(world, source, body) };
  },
  mailgun: async (world, email) => {
    const source = await createSource(world, 'mailgun', { options: { emailIdField: 'mail' } });
    const event = {
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      recipient: email,
      'delivery-status': { code: 550, message: DIAGNOSTIC },
      'user-variables': { mail: OWN_UUID },
    };
    const body = mailgunBody(source, event);
    return { source, send: () => post(world, source, body) };
  },
  sparkpost: async (world, email) => {
    const source = await createSource(world, 'sparkpost', { options: { emailIdField: 'mail' } });
    const event = { type: 'bounce', bounce_class: '10', raw_rcpt_to: email, raw_reason: DIAGNOSTIC };
    const body = sparkpostBatch([{ ...event, rcpt_meta: { mail: OWN_UUID } }]);
    return { source, send: () => postWithCredential(world, source, body) };
  },
  brevo: async (world, email) => {
    const source = await createSource(world, 'brevo', { options: { emailIdField: 'mail' } });
    const event = { event: 'hard_bounce', email, ts_epoch: Date.now(), reason: DIAGNOSTIC };
    const headers = { Authorization: `Bearer ${source.secrets.password}` };
    const body = { ...event, 'X-Mailin-custom': OWN_UUID };
    return { source, send: () => post(world, source, body, headers) };
  },
  mailjet: async (world, email) => {
    const source = await createSource(world, 'mailjet', { options: { emailIdField: 'CustomID' } });
    const event = { event: 'bounce', time: SECONDS(), email, hard_bounce: true, error: 'user unknown' };
    const body = [{ ...event, comment: DIAGNOSTIC, CustomID: OWN_UUID }];
    return { source, send: () => postWithCredential(world, source, body) };
  },
  mail: async (world, email) => {
    const options = { emailIdField: 'X-Mail-Id', messageIdDomains: ['news.example.com'] };
    const source = await createSource(world, 'mail', { options });
    const recipient = [`Final-Recipient: rfc822; ${email}`, 'Action: failed'];
    const returned = ['Message-ID: <42@news.example.com>', `X-Mail-ID: ${OWN_UUID}`];
    const diagnostic = `Diagnostic-Code: smtp; ${DIAGNOSTIC}`;
    const message = deliveryStatus([...recipient, 'Status: 5.1.1', diagnostic], returned);
    return { source, send: () => postMail(world, source, message) };
  },
};
