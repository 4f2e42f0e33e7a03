import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { getDataSourceToken } from '@nestjs/typeorm';
import { transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import type { ChangeActor } from '../../src/ledger/evidence.js';
import type { Cause } from '../../src/ledger/cause.js';
import type { Addition } from '../../src/suppressions/additions/additions.repository.js';
import { AdditionsService } from '../../src/suppressions/additions/additions.service.js';
import { createWorld, type World } from '../support/world.js';

const ACME = 1;
const ACTOR: ChangeActor = { type: 'cli', id: null, name: 'import' };

const addition = (address: string, cause: Cause, more: Partial<Addition> = {}): Addition => ({
  email: address as EmailAddress,
  cause,
  emailId: null,
  occurredAt: null,
  eventId: null,
  expiresAt: null,
  note: null,
  ...more,
});

describe('AdditionsService.suppress', () => {
  let world: World;
  let service: AdditionsService;
  let dataSource: DataSource;
  beforeAll(async () => {
    world = await createWorld();
    service = world.app.get(AdditionsService);
    dataSource = world.app.get<DataSource>(getDataSourceToken());
  });
  afterAll(() => world.close());

  const soon = () => performance.now() + 20_000;
  const inTransaction = <Result>(work: (transaction: EntityManager) => Promise<Result>) =>
    transactionBefore(dataSource, soon(), work);
  const get = (address: string) => world.as(world.alice).get(`/suppressions/${address}`);
  const history = async (address: string) =>
    (await world.as(world.alice).get(`/suppressions/${address}/history`).expect(200)).body.data;

  it('keeps the cause, the email, the event, the timestamp and the note of each address', async () => {
    const [emailId, eventId] = [randomUUID(), randomUUID()];
    const occurredAt = new Date('2024-05-06T07:08:09.123Z');
    const additions = [
      addition('complained@example.com', 'complaint', { emailId, eventId, occurredAt, note: 'line\t1' }),
      addition('bounced@example.com', 'bounce', { note: 'line 2' }),
    ];
    const suppressed = await service.suppress({ accountId: ACME, actor: ACTOR }, additions, {
      deadline: soon(),
    });
    expect((await get('complained@example.com').expect(200)).body).toMatchObject({
      id: suppressed.get('complained@example.com' as EmailAddress)!.id,
      origin: 'complaint',
      source_id: emailId,
    });
    expect(await history('complained@example.com')).toMatchObject([
      {
        action: 'added',
        cause: 'complaint',
        source_id: emailId,
        event_id: eventId,
        occurred_at: occurredAt.toISOString(),
        actor: { type: 'cli', id: null, name: 'import' },
        note: 'line\t1',
      },
    ]);
    expect(await history('bounced@example.com')).toMatchObject([{ cause: 'bounce', note: 'line 2' }]);
  });

  it('keeps every cause, and changes nothing when it is repeated', async () => {
    const actions = async (cause: Cause) => {
      const additions = [addition('stronger@example.com', cause)];
      const suppressed = await service.suppress({ accountId: ACME, actor: ACTOR }, additions, {
        deadline: soon(),
      });
      return [...suppressed.values()].map(({ action }) => action);
    };
    expect(await actions('bounce')).toEqual(['added']);
    expect(await actions('complaint')).toEqual(['strengthened']);
    expect(await actions('complaint')).toEqual([null]);
    expect(await actions('unsubscribe')).toEqual(['cause_added']);
    expect(await actions('unsubscribe')).toEqual([null]);
    expect(await actions('bounce')).toEqual([null]);
    expect((await get('stronger@example.com')).body.origin).toBe('complaint');
    expect(await history('stronger@example.com')).toHaveLength(3);
  });

  it('takes part in a transaction, and is rolled back with it', async () => {
    const work = inTransaction(async (transaction) => {
      await service.suppress(
        { accountId: ACME, actor: ACTOR },
        [addition('undone@example.com', 'bounce')],
        transaction,
      );
      throw new Error('The rest failed.');
    });
    await expect(work).rejects.toThrow('The rest failed.');
    await get('undone@example.com').expect(404);
    await inTransaction((transaction) =>
      service.suppress(
        { accountId: ACME, actor: ACTOR },
        [addition('done@example.com', 'bounce')],
        transaction,
      ),
    );
    await get('done@example.com').expect(200);
  });

  it('writes nothing after its deadline', async () => {
    const additions = [addition('too-late@example.com', 'bounce')];
    await expect(
      service.suppress({ accountId: ACME, actor: ACTOR }, additions, { deadline: performance.now() }),
    ).rejects.toThrow('deadline');
    await get('too-late@example.com').expect(404);
  });
});
