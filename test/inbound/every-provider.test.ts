import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { ProviderName } from '../../src/inbound/providers/providers.js';
import { PROVIDER_NAMES } from '../../src/inbound/providers/providers.js';
import { OWN_UUID } from '../support/deliveries.js';
import { deliveryStatus } from '../support/raw-mail.js';
import {
  createSource,
  mailgunBody,
  post,
  postMail,
  postResend,
  postWithCredential,
  readInbox,
  readList,
  sparkpostBatch,
} from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

const SECONDS = () => Math.floor(Date.now() / 1000);
const DIAGNOSTIC = '550 5.1.1 no such user';
const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** For each provider: a source, and a delivery of one hard bounce that carries our own id of the mail. */
const DELIVERIES: Record<Exclude<ProviderName, 'ses'>, (world: World, email: string) => Promise<string>> = {
  resend: async (world, email) => {
    const source = await createSource(world, 'resend', { options: { emailIdField: 'mail' } });
    await postResend(world, source, {
      type: 'email.bounced',
      created_at: new Date().toISOString(),
      data: {
        email_id: randomUUID(),
        to: [email],
        tags: { mail: OWN_UUID },
        bounce: { type: 'Permanent', subType: 'General', message: 'gone', diagnosticCode: [DIAGNOSTIC] },
      },
    });
    return source.id;
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
    await post(world, source, body, {
      'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
      'X-Twilio-Email-Event-Webhook-Signature': sign(
        'sha256',
        Buffer.from(timestamp + body),
        sendgridKeys.privateKey,
      ).toString('base64'),
    });
    return source.id;
  },
  postmark: async (world, email) => {
    const source = await createSource(world, 'postmark', { options: { emailIdField: 'mail' } });
    await postWithCredential(world, source, {
      RecordType: 'Bounce',
      ID: 42,
      Type: 'HardBounce',
      Email: email,
      Details: DIAGNOSTIC,
      Metadata: { mail: OWN_UUID },
    });
    return source.id;
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
    await post(world, source, mailgunBody(source, event));
    return source.id;
  },
  sparkpost: async (world, email) => {
    const source = await createSource(world, 'sparkpost', { options: { emailIdField: 'mail' } });
    const event = { type: 'bounce', bounce_class: '10', raw_rcpt_to: email, raw_reason: DIAGNOSTIC };
    await postWithCredential(world, source, sparkpostBatch([{ ...event, rcpt_meta: { mail: OWN_UUID } }]));
    return source.id;
  },
  brevo: async (world, email) => {
    const source = await createSource(world, 'brevo', { options: { emailIdField: 'mail' } });
    const event = { event: 'hard_bounce', email, ts_epoch: Date.now(), reason: DIAGNOSTIC };
    await post(
      world,
      source,
      { ...event, 'X-Mailin-custom': OWN_UUID },
      { Authorization: `Bearer ${source.secrets.password}` },
    );
    return source.id;
  },
  mailjet: async (world, email) => {
    const source = await createSource(world, 'mailjet', { options: { emailIdField: 'CustomID' } });
    const event = { event: 'bounce', time: SECONDS(), email, hard_bounce: true, error: 'user unknown' };
    await postWithCredential(world, source, [{ ...event, comment: DIAGNOSTIC, CustomID: OWN_UUID }]);
    return source.id;
  },
  mail: async (world, email) => {
    const options = { emailIdField: 'X-Mail-Id', messageIdDomains: ['news.example.com'] };
    const source = await createSource(world, 'mail', { options });
    const recipient = [`Final-Recipient: rfc822; ${email}`, 'Action: failed'];
    const returned = ['Message-ID: <42@news.example.com>', `X-Mail-ID: ${OWN_UUID}`];
    const diagnostic = `Diagnostic-Code: smtp; ${DIAGNOSTIC}`;
    await postMail(world, source, deliveryStatus([...recipient, 'Status: 5.1.1', diagnostic], returned));
    return source.id;
  },
};

describe('a hard bounce through the route', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it.each(Object.entries(DELIVERIES))(
    'of %s suppresses, with our own id of the mail',
    async (name, deliver) => {
      const email = `${name}@example.com`;
      const id = await deliver(world, email);
      expect(await readInbox(world, { id })).toEqual([`${email} bounce suppress: added`]);
      const row = (await readList(world)).find((one) => one.email === email);
      expect(row).toMatchObject({ cause: 'bounce', email_id: OWN_UUID });
      const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`).expect(200);
      expect(body.data[0]).toMatchObject({ actor: { type: 'source', id, name }, note: expect.any(String) });
    },
  );

  it('is tested for every provider except Amazon SES, which has its own tests', () => {
    expect([...Object.keys(DELIVERIES), 'ses'].toSorted()).toEqual([...PROVIDER_NAMES].toSorted());
  });
});
