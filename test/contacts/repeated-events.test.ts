import { createCertificate } from '../support/servers/certificate.js';
import { CERTIFICATE_URL, envelope, signed, TOPIC } from '../support/servers/sns.js';
import { dump, letInstancesLearn, tracesIn, untilErased } from '../support/erasures.js';
import { BOUNCES } from '../support/provider-bounces.js';
import { createSource, post, readLedger, type TestSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

const DAY_MS = 86_400_000;
const MESSAGE = '000001378603177f-7a5433e7-8edb-42ae-af10-f0181f34d6ee-000000';
const KEPT = { keep_block: true, reference: 'Case 4711' };

let world: World;
const realFetch = globalThis.fetch;
const certificate = createCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));
beforeAll(async () => {
  world = await createWorld();
  globalThis.fetch = async (url, init) =>
    String(url) === CERTIFICATE_URL ? new Response(certificate.pem) : realFetch(url, init);
});
afterAll(async () => {
  globalThis.fetch = realFetch;
  await world.close();
});

const alice = () => world.as(world.alice);
const erase = (email: string) =>
  untilErased(world, async () =>
    alice()
      .post(`/contacts/${encodeURIComponent(email)}/erase`)
      .send(KEPT),
  );
const eventsOf = (source: TestSource) =>
  world.database.query('SELECT * FROM delivery_events WHERE source_id = $1 ORDER BY id', [source.id]);

async function ses(_world: World, email: string) {
  const source = await createSource(world, 'ses', { options: { topicArns: [TOPIC] } });
  const bounce = {
    bounceType: 'Transient',
    bounceSubType: 'MailboxFull',
    bouncedRecipients: [email, email.toLowerCase()].map((emailAddress) => ({
      emailAddress,
      status: '4.2.2',
    })),
    timestamp: new Date().toISOString(),
  };
  const message = { notificationType: 'Bounce', mail: { messageId: MESSAGE }, bounce };
  const body = signed({ ...envelope(message), Timestamp: new Date().toISOString() }, certificate.privateKey);
  return { source, send: () => post(world, source, body, { 'Content-Type': 'text/plain; charset=UTF-8' }) };
}

async function posted(_world: World, email: string) {
  const event = { type: 'bounce', email, status: '5.1.1' };
  const send = async () =>
    alice().post('/events').set('Idempotency-Key', `mail to ${email}`).send(event).expect(200);
  await send();
  const [{ source_id: id }] = (await world.database.query(
    `SELECT source_id FROM delivery_events WHERE recipient = $1`,
    [email.toLowerCase()],
  )) as [{ source_id: string }];
  return { source: { id } as TestSource, send };
}

describe('an event that is delivered again after an erasure that keeps the block', () => {
  it.each(Object.entries({ ...BOUNCES, ses, posted }))(
    'is recognised if it comes from %s, however it spells the address',
    async (name, deliver) => {
      const email = `${name}.Lovelace@example.com`;
      const { source, send } = await deliver(world, email);
      await send();
      const { pseudonym } = await erase(email.toLowerCase());
      const before = [await eventsOf(source), await readLedger(world, pseudonym)];
      expect(before[0]).not.toEqual([]);
      expect((await send()).status).toBeLessThan(300);
      expect([await eventsOf(source), await readLedger(world, pseudonym)]).toEqual(before);
      expect(tracesIn(await dump(world))).toEqual([]);
    },
  );

  it('is recognized while the erasure rewrites tables', async () => {
    const email = 'early.lovelace@example.com';
    const { source, send } = await BOUNCES.resend(world, email);
    await send();
    await alice()
      .post('/suppressions')
      .send({ email: 'grace@example.org', note: `As ${email} asked` })
      .expect(201);
    await world.database.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'failure'; END $$;
      CREATE TRIGGER failure BEFORE UPDATE ON suppression_changes
      FOR EACH ROW WHEN (OLD.email = 'grace@example.org') EXECUTE FUNCTION fail()`,
    );
    const request = () => alice().post(`/contacts/${email}/erase`).send(KEPT);
    await until(async () => {
      await letInstancesLearn(world);
      return (await request()).status === 500;
    });
    const before = await eventsOf(source);
    await send();
    expect(await eventsOf(source)).toEqual(before);
    await world.database.query('DROP TRIGGER failure ON suppression_changes');
    await erase(email);
    expect(tracesIn(await dump(world))).toEqual([]);
  });
});
