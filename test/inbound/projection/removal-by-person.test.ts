import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { findRecord } from '../../support/facts.js';
import { ended, importFile } from '../../support/imports.js';
import { createSource, post, readInbox, readLedger, type TestSource } from '../../support/sources.js';
import { createWorld, type World } from '../../support/world.js';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

describe('after a person removed an address', () => {
  let world: World;
  let sendgrid: TestSource;
  let email: string;
  beforeAll(async () => {
    world = await createWorld();
    const verification_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    sendgrid = await createSource(world, 'sendgrid', { secrets: { verification_key } });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  const report = async (fields: Record<string, unknown>) => {
    const time = String(Math.floor(Date.now() / 1000));
    const body = JSON.stringify([{ email, sg_event_id: randomUUID(), timestamp: Number(time), ...fields }]);
    const { status } = await post(world, sendgrid, body, {
      'X-Twilio-Email-Event-Webhook-Timestamp': time,
      'X-Twilio-Email-Event-Webhook-Signature': sign('sha256', Buffer.from(time + body), privateKey).toString(
        'base64',
      ),
    });
    expect(status).toBe(200);
  };
  const bounced = () => report({ event: 'bounce', bounce_classification: 'Invalid Address' });
  const dropped = (reason: string) => report({ event: 'dropped', reason });
  const remove = () => world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
  const revert = async (id: string) => {
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    expect(await ended(world, world.alice, id)).toMatchObject({ status: 'reverted', reverted: 1 });
  };
  const lastEvent = async () => {
    const { body } = await world.as(world.alice).get('/events').query({ email, limit: 1 }).expect(200);
    return body.data[0];
  };

  it.each([
    ['Bounced Address', "SendGrid's bounce list", 'Suppressions > Bounces'],
    ['Spam Reporting Address', "SendGrid's list of spam reports", 'Suppressions > Spam Reports'],
    ['Unsubscribed Address', "SendGrid's list of unsubscribes", 'Suppressions > Global Unsubscribes'],
  ])('"%s" does not add it again, and its event says where to remove it', async (reason, list, path) => {
    await bounced();
    await remove();
    await dropped(reason);
    await dropped(reason);
    expect(await findRecord(world, email)).toBeUndefined();
    expect(await readLedger(world, email)).toEqual(['added bounce by sendgrid', 'removed bounce by alice']);
    const event = await lastEvent();
    expect(event).toMatchObject({ effect: 'suppress-if-absent', outcome: 'nothing', suppression_id: null });
    expect(event.reason).toContain(`Still on ${list}: remove it there (${path}`);
  });

  it('a new bounce adds it again', async () => {
    await bounced();
    await remove();
    await bounced();
    expect(await findRecord(world, email)).toMatchObject({ cause: 'bounce' });
  });

  const hourAgo = () => Math.floor(Date.now() / 1000) - 3600;
  const late = {
    bounce: () => report({ event: 'bounce', bounce_classification: 'Invalid Address', timestamp: hourAgo() }),
    unsubscribe: () => report({ event: 'unsubscribe', timestamp: hourAgo() }),
    complaint: () => report({ event: 'spamreport', timestamp: hourAgo() }),
  };

  it.each(['bounce', 'unsubscribe', 'complaint'] as const)(
    'a %s from before the removal does not add it again, although it arrives later',
    async (cause) => {
      await late[cause]();
      await remove();
      await late[cause]();
      expect(await findRecord(world, email)).toBeUndefined();
      expect(await lastEvent()).toMatchObject({
        kind: cause,
        outcome: 'nothing',
        suppression_id: null,
        reason: 'It happened before the address, or its cause, was removed from the list.',
      });
    },
  );

  it('a cause that it had not yet is added, unless it is an earlier bounce', async () => {
    await late.unsubscribe();
    await remove();
    await late.bounce();
    expect(await findRecord(world, email)).toBeUndefined();
    await late.complaint();
    expect(await findRecord(world, email)).toMatchObject({ cause: 'complaint' });
  });

  it('a cause that was lifted alone is not added again by an event from before', async () => {
    await late.complaint();
    await late.unsubscribe();
    await world.as(world.alice).delete(`/suppressions/${email}?cause=unsubscribe`).expect(200);
    await late.unsubscribe();
    expect(await readLedger(world, email)).toEqual([
      'added complaint by sendgrid',
      'cause_added unsubscribe by sendgrid',
      'cause_removed unsubscribe by alice',
    ]);
  });

  it('an event without a time counts as new', async () => {
    await world.as(world.alice).post('/events').send({ type: 'unsubscribe', email }).expect(200);
    await remove();
    await world.as(world.alice).post('/events').send({ type: 'unsubscribe', email }).expect(200);
    expect(await findRecord(world, email)).toMatchObject({ cause: 'unsubscribe' });
  });

  it('an event from before an import is added again if only the revert of the import removed it', async () => {
    const { id } = await importFile(world, world.alice, `email,cause\n${email},bounce\n`);
    await revert(id);
    await late.bounce();
    expect(await findRecord(world, email)).toMatchObject({ cause: 'bounce' });
  });

  it('an address that only the revert of an import removed is added again', async () => {
    const { id } = await importFile(world, world.alice, `${email}\n`);
    await revert(id);
    await dropped('Bounced Address');
    expect(await findRecord(world, email)).toMatchObject({ cause: 'bounce' });
  });

  it('an import and its revert do not make the service forget the removal', async () => {
    await bounced();
    await remove();
    const { id } = await importFile(world, world.alice, `${email}\n`);
    await revert(id);
    await dropped('Bounced Address');
    expect(await findRecord(world, email)).toBeUndefined();
    expect(await lastEvent()).toMatchObject({ effect: 'suppress-if-absent', outcome: 'nothing' });
  });

  it('an address that no person removed is still added because it is on the list of the provider', async () => {
    await dropped('Bounced Address');
    expect(await findRecord(world, email)).toMatchObject({ cause: 'bounce' });
    expect((await readInbox(world, sendgrid)).filter((line) => line.startsWith(email))).toEqual([
      `${email} bounce suppress-if-absent: added`,
    ]);
  });
});
