import { randomUUID } from 'node:crypto';
import { createCertificate } from '../../support/certificate.js';
import { envelope, signed, TOPIC } from '../../support/sns.js';
import { createSource, post, readLedger, type TestSource } from '../../support/sources.js';
import { until } from '../../support/until.js';
import { createWorld, type World } from '../../support/world.js';

const DAY_MS = 86_400_000;
const certificate = createCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));

describe('a resubscribe that arrives while the same source reports a later bounce', () => {
  let world: World;
  let ses: TestSource;
  const realFetch = globalThis.fetch;
  beforeAll(async () => {
    world = await createWorld();
    ses = await createSource(world, 'ses', { options: { topicArns: [TOPIC] } });
    globalThis.fetch = async () => new Response(certificate.pem);
  });
  afterAll(async () => {
    globalThis.fetch = realFetch;
    await world.close();
  });

  const deliver = async (eventType: string, emails: string[], about: object) => {
    const event = { eventType, mail: { messageId: randomUUID(), destination: emails }, ...about };
    const fields = { MessageId: randomUUID(), Timestamp: new Date().toISOString() };
    const { status } = await post(world, ses, signed(envelope(event, fields), certificate.privateKey));
    expect(status).toBe(200);
  };
  const subscribe = (email: string, isSubscribed: boolean, secondsAgo: number) =>
    deliver('Subscription', [email], {
      subscription: {
        timestamp: before(secondsAgo),
        oldTopicPreferences: { unsubscribeAll: isSubscribed },
        newTopicPreferences: { unsubscribeAll: !isSubscribed },
      },
    });
  const bounce = (emails: string[], secondsAgo: number) =>
    deliver('Bounce', emails, {
      bounce: {
        timestamp: before(secondsAgo),
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: emails.map((emailAddress) => ({
          emailAddress,
          action: 'failed',
          status: '5.1.1',
        })),
      },
    });

  it('leaves the address suppressed', async () => {
    const held = 'ada@example.com';
    const email = 'zoe@example.com';
    await subscribe(email, false, 30);
    const place = await world.database.lockPlace(ses.accountId, held);
    const later = bounce([held, email], 10);
    await until(async () => (await world.database.countWaiting()) === 1);
    const lift = subscribe(email, true, 20);
    await until(async () => (await world.database.countWaiting()) === 2);
    await place.release();
    await Promise.all([later, lift]);
    expect(await readLedger(world, email)).toEqual(['added unsubscribe by ses', 'cause_added bounce by ses']);
  });
});

function before(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}
