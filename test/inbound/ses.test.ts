import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { createCertificate } from '../support/servers/certificate.js';
import {
  CERTIFICATE_URL,
  confirmation,
  envelope,
  signed,
  TOPIC,
  type Fields,
} from '../support/servers/sns.js';
import { createSource, post, readInbox, readList, type TestSource } from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

const DAY_MS = 86_400_000;
const CONFIRMATION_URL =
  'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription' +
  '&TopicArn=arn%3Aaws%3Asns%3Aus-east-1%3A123456789012%3Abounces&Token=a+token%26more';

const certificate = createCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));

describe('Amazon SNS', () => {
  let world: World;
  let source: TestSource;
  let requests: { url: string; redirect: string | undefined }[];
  let confirms: () => Response;
  const realFetch = globalThis.fetch;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    source = await createSource(world, 'ses', { options: { topicArns: [TOPIC] } });
    requests = [];
    confirms = () => new Response('<ConfirmSubscriptionResponse/>');
    globalThis.fetch = async (url, init) => {
      requests.push({ url: String(url), redirect: init?.redirect });
      return String(url) === CERTIFICATE_URL ? new Response(certificate.pem) : confirms();
    };
  });
  afterEach(() => (globalThis.fetch = realFetch));
  afterAll(() => world.close());

  const send = (fields: Fields, sendTo = source) =>
    post(world, sendTo, signed({ ...fields, Timestamp: new Date().toISOString() }, certificate.privateKey), {
      'Content-Type': 'text/plain; charset=UTF-8',
    });
  const confirmed = () => requests.filter(({ url }) => url !== CERTIFICATE_URL);

  it('gets its subscription confirmed, at the URL that the service builds from its own topic', async () => {
    expect((await send(confirmation())).status).toBe(200);
    expect(confirmed()).toEqual([{ url: CONFIRMATION_URL, redirect: 'error' }]);
    expect(await readInbox(world, source)).toEqual(['null unknown none: nothing']);
  });

  it('is asked to retry if the subscription cannot be confirmed', async () => {
    confirms = () => new Response('', { status: 500 });
    expect((await send(confirmation())).status).toBe(503);
    confirms = () => {
      throw new TypeError('fetch failed');
    };
    expect((await send(confirmation())).status).toBe(503);
    expect(await readInbox(world, source)).toEqual([]);
  });

  it('gets no other topic confirmed, and none with the wrong signature', async () => {
    expect((await send(confirmation({ TopicArn: `${TOPIC}-of-others` }))).status).toBe(401);
    const forged = signed(confirmation(), createCertificate(new Date(0), new Date()).privateKey);
    expect((await post(world, source, { ...forged, Timestamp: new Date().toISOString() })).status).toBe(401);
    expect(confirmed()).toEqual([]);
    const { badSignatures } = await world.app.get(SourcesService).get(source.id);
    expect(badSignatures).toBe('2');
  });

  it('may send plain text', async () => {
    expect(
      (await send(envelope('Successfully validated SNS topic for Amazon SES event publishing.'))).status,
    ).toBe(200);
  });

  it('suppresses the recipients that bounced, and no other recipient of the email', async () => {
    const bounce = {
      notificationType: 'Bounce',
      mail: {
        messageId: '000001378603177f-7a5433e7-8edb-42ae-af10-f0181f34d6ee-000000',
        destination: ['fine@example.com', 'gone@example.com', 'gone-too@example.com', 'late@example.com'],
      },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        timestamp: new Date().toISOString(),
        bouncedRecipients: [
          {
            emailAddress: 'gone@example.com',
            action: 'failed',
            status: '5.1.1',
            diagnosticCode: 'smtp; 550 5.1.1 no',
          },
          { emailAddress: 'late@example.com', action: 'delayed', status: '4.0.0' },
          { emailAddress: 'gone-too@example.com', action: 'failed', status: '5.1.1' },
        ],
      },
    };
    const message = envelope(bounce, { MessageId: '33b80b92-fdea-4c2c-8f9d-bdfb0c7bf324' });
    expect((await send(message)).status).toBe(200);
    expect((await send(message)).status).toBe(200);
    expect((await readList(world)).map(({ email }) => email)).toEqual([
      'gone-too@example.com',
      'gone@example.com',
    ]);
    expect(await readInbox(world, source)).toHaveLength(3);
  });
});
