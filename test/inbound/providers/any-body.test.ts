import * as fc from 'fast-check';
import { ApiError } from '../../../src/http/errors/api-error.js';
import { DELIVERY_EVENT_KINDS, type DeliveryEvent } from '../../../src/inbound/parsing/delivery-event.js';
import { BadSignatureError } from '../../../src/inbound/providers/proof.js';
import { MalformedBodyError } from '../../../src/inbound/parsing/json.js';
import type { Provider } from '../../../src/inbound/providers/provider.js';
import { PROVIDERS } from '../../../src/inbound/providers/providers.js';
import { anyText } from '../../support/any-text.js';
import { cases } from '../../support/cases.js';
import { cpuTimesOf } from '../../support/cpu-time.js';
import { basic, delivery, NO_NETWORK, source } from '../../support/deliveries.js';

const EFFECTS = new Set(['suppress', 'suppress-if-absent', 'watch', 'lift', 'success', 'none']);
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:bounces';
const SECRETS = {
  signing_secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  signing_key: 'k',
  verification_key: 'k',
  username: 'u',
  password: 'p',
};
const SOURCE = source(SECRETS, {
  emailIdField: 'mail',
  topicArns: [TOPIC],
  contactLists: [1],
});
const MIB = 1024 * 1024;
/** A body of this size is compared with one of a MiB, which takes 8 times as long, or 64 times if the time is quadratic. */
const SMALLER = MIB / 8;
const MAX_RATIO = 24;
/** A body that takes longer, of the processor, would hold up everybody else's requests on any machine. */
const MAX_MS = 2_000;
/** As long as the shortest that a provider sends. */
const SIZE_OF_EVENT = 500;

/** Every name that a provider's reader looks for, so that random bodies get deep into it. */
const NAMES = words(`
  type created_at data to email origin source_id email_id tags mail bounce subType diagnosticCode unsubscribed
  Type Message MessageId TopicArn Timestamp Token SigningCertURL notificationType eventType complaint delivery
  event status reason sg_event_id sg_message_id timestamp asm_group_id bounce_classification
  RecordType ID MessageID Email Recipient Metadata Inactive SuppressSending
  signature token event-data severity flags delivery-status user-variables message headers message-id recipient
  msys message_event bounce_class event_id rcpt_to ts_epoch X-Mailin-custom
  time Message_GUID hard_bounce error Payload __proto__
`);
const WORDS = words(`
  email.bounced email.complained suppression.added contact.updated Notification bounce Bounce Complaint
  dropped group_unsubscribe spamreport SubscriptionChange failed permanent complained out_of_band
  hard_bounce blocked constructor ada@example.com <a@b.example> 2026-11-20T10:00:00Z 5.1.1 1763632740
  {"mail":"x"} ${TOPIC} \0 \u{D800}
`);

const { body } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constantFrom<unknown>(...WORDS), fc.jsonValue({ maxDepth: 1 }), anyText()),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('body'), { maxKeys: 12, noNullPrototype: true }),
  body: fc.oneof({ maxDepth: 5 }, tie('leaf'), tie('object'), fc.array(tie('object'), { maxLength: 4 })),
}));
const ses = fc.record({
  Type: fc.constant('Notification'),
  Message: body.map((message) => JSON.stringify(message)),
});

function isSound({ key, kind, recipient, effect, emailId, occurredAt, ...texts }: DeliveryEvent): boolean {
  const text = [key, texts.rawMessageId, texts.status, texts.diagnostic, texts.reason].join('');
  return (
    key.length > 0 &&
    key.length <= 200 &&
    DELIVERY_EVENT_KINDS.includes(kind) &&
    EFFECTS.has(effect) &&
    (recipient !== null || effect === 'none') &&
    (emailId === null || /^[0-9a-f-]{36}$/.test(emailId)) &&
    (occurredAt === null || !Number.isNaN(occurredAt.getTime())) &&
    texts.reason !== '' &&
    !text.includes('\0') &&
    text.isWellFormed()
  );
}

async function readOrRefuse(provider: Provider, anyBody: unknown): Promise<DeliveryEvent[]> {
  try {
    if (!provider.takesMail) {
      return await provider.read(anyBody, SOURCE, {});
    }
    const message = Buffer.isBuffer(anyBody) ? anyBody : Buffer.from(JSON.stringify(anyBody) ?? '');
    return (await provider.readMail(message, SOURCE, () => Promise.resolve(null))).events;
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedBodyError);
    return [];
  }
}

describe.each(PROVIDERS.map((provider): Provider => provider))('$name', (provider) => {
  const anyOctets = fc.uint8Array({ maxLength: 2_000 }).map((octets) => Buffer.from(octets));
  const others = provider.takesMail ? anyOctets : ses;

  it('reads any body into valid events, or says that it is malformed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), body, others), async (anyBody) => {
        const events = await readOrRefuse(provider, anyBody);
        expect(events.filter((event) => !isSound(event))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('reads one body twice in the same way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, ses), async (anyBody) => {
        const again: unknown = JSON.parse(JSON.stringify(anyBody) ?? 'null');
        expect(await readOrRefuse(provider, again)).toEqual(
          await readOrRefuse(provider, JSON.parse(JSON.stringify(again))),
        );
      }),
      { numRuns: cases(50, 100) },
    );
  });

  it('refuses any request without a proof, with an error that has a response', async () => {
    const header = fc.constantFrom(
      'authorization',
      'svix-id',
      'svix-timestamp',
      'svix-signature',
      'content-type',
    );
    const request = fc.record({
      text: fc.oneof(fc.string(), fc.json()),
      headers: fc.dictionary(header, fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ text, headers }) => {
        const error: unknown = await provider
          .verify(delivery(text, headers), SOURCE, NO_NETWORK)
          .catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ApiError);
        expect([400, 401]).toContain((error as ApiError).statusCode);
      }),
    );
  });

  it.each<[string, (length: number) => unknown]>([
    ['tiny events', (length) => Array.from({ length: Math.min(length / 2, 5_000) }, (_, at) => at)],
    [
      'events',
      (length) => Array.from({ length: Math.floor(length / SIZE_OF_EVENT) }, (_, at) => busyEvent(at)),
    ],
    ['recipients', (length) => ({ type: 'email.bounced', data: { to: addresses(length / 25), bounce: {} } })],
    ['text', (length) => [{ ...busyEvent(1), reason: 'a@'.repeat(length / 2) }]],
    ['a recipient', (length) => ({ ...busyEvent(1), email: `<${'a'.repeat(length)}` })],
  ])('reads a MiB of %s in a time that grows with its length', async (_what, make) => {
    const [large, smaller] = [make(MIB), make(SMALLER)];
    const read = (anyBody: unknown) => () => readOrRefuse(provider, anyBody);
    const least = await cpuTimesOf(read(large), read(smaller), MAX_RATIO);
    expect(least.long / least.short).toBeLessThan(MAX_RATIO);
    expect(least.long).toBeLessThan(MAX_MS);
  });
});

describe('the list of providers', () => {
  it('is closed', () => {
    const names = 'resend ses sendgrid postmark mailgun sparkpost brevo mailjet mail';
    expect(PROVIDERS.map(({ name }) => name).join(' ')).toBe(names);
  });

  it('describes the setup of each', () => {
    for (const { secrets, setup } of PROVIDERS) {
      expect(secrets.every(({ description }) => description.length > 0)).toBe(true);
      expect(setup.length).toBeGreaterThan(1);
    }
  });

  it('accepts no credential of one provider at another', async () => {
    for (const name of ['resend', 'ses', 'sendgrid', 'mailgun']) {
      const provider: Provider = PROVIDERS.find((candidate) => candidate.name === name)!;
      await expect(provider.verify(delivery({}, basic('u', 'p')), SOURCE, NO_NETWORK)).rejects.toThrow(
        BadSignatureError,
      );
    }
  });
});

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function addresses(length: number): string[] {
  return Array.from({ length }, (_, at) => `ada${at}@example.com`);
}

function busyEvent(at: number): Record<string, unknown> {
  const event = {
    event: 'bounce',
    type: 'bounce',
    email: `ada${at}@example.com`,
    reason: '550 5.1.1 unknown '.repeat(8),
  };
  return {
    ...event,
    sg_event_id: String(at),
    msys: { message_event: { ...event, raw_rcpt_to: event.email } },
  };
}
