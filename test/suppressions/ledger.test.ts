import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Response } from 'supertest';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { type Cause, CAUSES, maskOf } from '../../src/ledger/cause.js';
import type { ChangeActor } from '../../src/ledger/evidence.js';
import { AdditionsRepository } from '../../src/suppressions/additions/additions.repository.js';
import { AdditionsService } from '../../src/suppressions/additions/additions.service.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { RemovalsService } from '../../src/suppressions/removals.service.js';
import { cases } from '../support/cases.js';
import { createSource, postWithCredential, sparkpostBatch } from '../support/sources.js';
import { createKey, createWorld, setCause, withNewAccounts, type World } from '../support/world.js';

const ADDRESSES = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'] as const;

interface Line {
  revision: string;
  action: 'added' | 'strengthened' | 'cause_added' | 'removed';
  suppression_id: string;
  email: string;
  cause: string;
}

/** What the ledger says the list must be: replayed in the order of the revisions. */
function replay(lines: Line[]): Map<string, KeptRecord> {
  const list = new Map<string, KeptRecord>();
  for (const { action, email, suppression_id: id, cause } of lines) {
    const present = list.get(email);
    expect(present?.id).toBe(action === 'added' ? undefined : id);
    const strength = present ? Math.sign(rankOf(cause) - rankOf(present.cause)) : 1;
    expect(strength).toBe({ added: 1, strengthened: 1, cause_added: -1, removed: 0 }[action]);
    const mask = (present?.mask ?? 0) | maskOf([cause as Cause]);
    if (action === 'removed') {
      list.delete(email);
    } else {
      expect(mask).not.toBe(present?.mask);
      list.set(email, { id, cause: strength > 0 ? cause : present!.cause, mask });
    }
  }
  return list;
}

function rankOf(cause: string): number {
  return CAUSES.indexOf(cause as Cause);
}

/** A record, with all its causes as a mask. */
interface KeptRecord {
  id: string;
  cause: string;
  mask: number;
}

interface RecordRow {
  id: string;
  email: string;
  cause: string;
  weaker_causes: number;
}

function toList(rows: RecordRow[]): Map<string, KeptRecord> {
  return new Map(
    rows.map(({ id, email, cause, weaker_causes }) => [
      email,
      { id, cause, mask: weaker_causes | maskOf([cause as Cause]) },
    ]),
  );
}

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

describe('records and ledger', () => {
  const readLedger = ({ id } = world.acme) =>
    world.database.query<Line>('SELECT * FROM suppression_changes WHERE account_id = $1 ORDER BY revision', [
      id,
    ]);
  const readList = async ({ id } = world.acme) =>
    toList(await world.database.query<RecordRow>('SELECT * FROM suppressions WHERE account_id = $1', [id]));

  it('any sequence of operations agrees with a model held in memory', async () => {
    const address = fc.constantFrom(...ADDRESSES);
    const addresses = fc.uniqueArray(address, { minLength: 1 });
    const operation = fc.oneof(
      fc.record({ type: fc.constant('add' as const), emails: addresses }),
      fc.record({ type: fc.constant('remove' as const), emails: addresses }),
      fc.record({ type: fc.constant('remove by id' as const), emails: addresses }),
      fc.record({ type: fc.constant('check' as const), emails: addresses }),
      fc.record({ type: fc.constant('weaken' as const), emails: addresses }),
    );
    const alice = world.as(world.alice);
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
        await alice.post('/suppressions/batch/remove').send({ emails: ADDRESSES });
        const start = (await readLedger()).length;
        const model = new Map<string, { id: string; cause: string }>();
        const ledger: Pick<Line, 'action' | 'email'>[] = [];
        for (const { type, emails } of operations) {
          if (type === 'add') {
            const { body } = await alice.post('/suppressions/batch/add').send({ emails }).expect(201);
            emails.forEach((email, index) => {
              const { id } = body.data[index];
              const present = model.get(email);
              expect(present === undefined || present.id === id).toBe(true);
              if (present?.cause !== 'manual') {
                ledger.push({ action: present ? 'strengthened' : 'added', email });
              }
              model.set(email, { id, cause: 'manual' });
            });
          } else if (type === 'check') {
            const { body } = await alice.post('/suppressions/check').send({ emails }).expect(200);
            const ids = body.data.map(
              ({ suppression }: { suppression: { id: string } | null }) => suppression?.id,
            );
            expect(ids).toEqual(emails.map((email) => model.get(email)?.id));
          } else if (type === 'weaken') {
            for (const email of emails.filter((one) => model.has(one))) {
              await setCause(world, model.get(email)!.id, 'bounce', null);
              model.get(email)!.cause = 'bounce';
            }
          } else {
            const present = emails.filter((email) => model.has(email));
            const ids = present.map((email) => model.get(email)!.id);
            if (type === 'remove' || ids.length > 0) {
              const { body } = await alice
                .post('/suppressions/batch/remove')
                .send(type === 'remove' ? { emails } : { ids })
                .expect(200);
              expect(body.data).toEqual(ids.map((id) => ({ object: 'suppression', id, deleted: true })));
            }
            present.forEach((email) => {
              ledger.push({ action: 'removed', email });
              model.delete(email);
            });
          }
        }
        const list = [...(await readList())].map(([email, { id, cause }]) => [email, { id, cause }] as const);
        expect(new Map(list)).toEqual(model);
        const lines = (await readLedger()).slice(start).map(({ action, email }) => ({ action, email }));
        for (const email of ADDRESSES) {
          expect(lines.filter((line) => line.email === email)).toEqual(
            ledger.filter((line) => line.email === email),
          );
        }
      }),
      { numRuns: 25 },
    );
  });

  it('hundreds of mixed operations by eight clients at once leave both agreeing exactly', async () => {
    const other = await withNewAccounts(world);
    const emails = Array.from({ length: 25 }, (_, index) => `m${index}@example.com`);
    const client = async (seed: number) => {
      const alice = other.as(other.alice);
      const statuses = new Set<number>();
      for (let step = 0; step < cases(60, 125); step++) {
        const number = seed * 7919 + step * 104_729;
        const email = emails[number % 25]!;
        const some = emails.filter((_, index) => (index * number) % 3 === 0);
        const answer = await [
          () => alice.post('/suppressions').send({ email }),
          () => alice.post('/suppressions/batch/add').send({ emails: step % 2 ? some : some.toReversed() }),
          () => alice.delete(`/suppressions/${email}`),
          () =>
            alice.post('/suppressions/batch/remove').send({ emails: step % 2 ? some.toReversed() : some }),
          () => alice.get(`/suppressions/${email}`),
          () => alice.post('/suppressions/check').send({ emails }),
          () => alice.get('/suppressions'),
        ][number % 7]!();
        statuses.add(answer.status);
      }
      return statuses;
    };
    const statuses = new Set(
      (await Promise.all(Array.from({ length: 8 }, (_, seed) => client(seed)))).flatMap((set) => [...set]),
    );
    expect([...statuses].filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
    const lines = await readLedger(other.acme);
    expect(lines.length).toBeGreaterThan(100);
    expect(replay(lines)).toEqual(await readList(other.acme));
  });

  it('an addition that others undo between its statements holds the record with its second attempt', async () => {
    const other = await withNewAccounts(world);
    const repository = other.app.get(AdditionsRepository);
    const identity = { accountId: other.acme.id, actor: { type: 'cli', id: null, name: 'test' } as const };
    const email = ADDRESSES[0] as EmailAddress;
    const unknown = { emailId: null, occurredAt: null, eventId: null, note: null, expiresAt: null };
    const remove = () => other.as(other.alice).delete(`/suppressions/${email}`);
    const added: string[] = [];
    let removal: Promise<Response>;
    const findPresent = repository.findPresent.bind(repository);
    const finding = jest.spyOn(repository, 'findPresent').mockImplementation(async (...args) => {
      if (added.length === 2) {
        removal = remove().then((response) => response);
        await other.database.untilWaiting();
        return findPresent(...args);
      }
      await remove();
      const found = await findPresent(...args);
      const [record] = await repository.add(identity, [{ email, cause: 'manual', ...unknown }], {
        deadline: Infinity,
      });
      added.push(record!.id);
      return found;
    });
    const { status, body } = await other.as(other.alice).post('/suppressions').send({ email });
    finding.mockRestore();
    expect({ status, id: body.id }).toEqual({ status: 200, id: added[1] });
    expect((await removal!).status).toBe(200);
    expect(replay(await readLedger(other.acme))).toEqual(await readList(other.acme));
  });

  it('events of every cause, additions and removals, in any order at once, leave both agreeing exactly', async () => {
    const other = await withNewAccounts(world);
    const additions = other.app.get(AdditionsService);
    const removals = other.app.get(RemovalsService);
    const account = other.acme.name;
    const accountId = other.acme.id;
    const source = await createSource(other, 'sparkpost', { account });
    const facts = [
      { type: 'bounce', bounce_class: '10' },
      { type: 'spam_complaint', fbtype: 'abuse' },
      { type: 'link_unsubscribe' },
    ];
    const statuses = new Set<number>();
    const emails = Array.from({ length: 20 }, (_, index) => `c${index}@example.com` as EmailAddress);
    const actor: ChangeActor = { type: 'cli', id: null, name: 'test' };
    const removal = { cause: null, note: null, consent: null, mayLift: true };
    const worker = async (seed: number) => {
      for (let step = 0; step < cases(15, 30); step++) {
        const number = seed * 7919 + step * 104_729;
        const deadline = performance.now() + 20_000;
        const some = emails.filter((_, index) => ((index + 1) * (number + 1)) % 3 === 0);
        const inOrder = step % 2 ? some : some.toReversed();
        if (number % 4 === 0) {
          await removals.batchRemove({ accountId, actor }, { emails: inOrder }, removal, { deadline });
        } else if (number % 4 === 1) {
          await additions.batchAdd({ accountId, actor, deadline }, inOrder, {
            note: null,
            expiresAt: null,
          });
        } else {
          const events = inOrder.map((email, index) => ({
            ...facts[(number + index) % 3],
            raw_rcpt_to: email,
          }));
          const twice = [...events, ...events.map((event, index) => ({ ...event, ...facts[index % 3] }))];
          statuses.add((await postWithCredential(other, source, sparkpostBatch(twice))).status);
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, seed) => worker(seed)));
    expect(statuses).toEqual(new Set([200]));
    const lines = await readLedger(other.acme);
    expect(new Set(lines.map(({ action }) => action)).size).toBe(4);
    expect(replay(lines)).toEqual(await readList(other.acme));
  });
});

const ADA = 'ada@example.com';
const WRITERS = 8;
const STEPS = 25;

interface LineOfAddress {
  action: string;
  suppression_id: string | null;
  cause: Cause | null;
  email_id: string | null;
}

/** What the list must have, by the ledger: the id, and the email id of each cause. */
interface Model {
  id: string;
  causes: Map<Cause, string | null>;
}

/** Slow and obvious: one line after the other. */
function replayAddress(lines: LineOfAddress[]): { record: Model | null; subscription: string | null } {
  let record: Model | null = null;
  let subscription: string | null = null;
  for (const { action, suppression_id: id, cause, email_id } of lines) {
    if (action === 'opted_in' || action === 'opted_out') {
      expect(action).not.toBe(subscription);
      subscription = action;
      continue;
    }
    expect({ action, id }).toEqual({ action, id: record?.id ?? (action === 'added' ? id : 'nothing') });
    expect(action === 'added').toBe(record === null);
    record ??= { id: id!, causes: new Map() };
    switch (action) {
      case 'added':
      case 'strengthened':
      case 'cause_added':
        record.causes.set(cause!, email_id);
        break;
      case 'removed':
        expect(record.causes.has(cause!)).toBe(true);
        record = null;
        break;
      default:
        expect({ action, isThere: record.causes.delete(cause!) }).toEqual({ action, isThere: true });
        record = record.causes.size > 0 ? record : null;
        expect(action === 'cause_removed' && record === null).toBe(false);
    }
  }
  return { record, subscription };
}

describe('eight writers of the same address', () => {
  let alice: string;
  let news: string;
  beforeAll(async () => {
    alice = await createKey(world);
    news = (
      await world.as(alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201)
    ).body.id;
  });

  const statuses = new Map<string, number>();
  const note = (operation: string, { status }: { status: number }) =>
    statuses.set(`${operation} ${status}`, (statuses.get(`${operation} ${status}`) ?? 0) + 1);
  const api = () => world.as(alice);

  const report = async (type: string) =>
    note(
      'report',
      await api().post('/events').send({ type, email: ADA, status: '5.1.1', source_id: randomUUID() }),
    );
  const choose = async (subscription: string) =>
    note(
      'choose',
      await api()
        .patch(`/contacts/${ADA}/topics`)
        .send([{ id: news, subscription }]),
    );
  const lift = async (cause?: Cause) =>
    note(
      'lift',
      await api()
        .delete(`/suppressions/${ADA}`)
        .query(cause ? { cause } : {}),
    );
  const add = async (body: object) =>
    note(
      'add',
      await api()
        .post('/suppressions')
        .send({ email: ADA, ...body }),
    );
  const OPERATIONS: (() => Promise<unknown>)[] = [
    () => report('bounce'),
    () => report('bounce'),
    () => report('complaint'),
    () => report('unsubscribe'),
    () => add({}),
    () => add({ expires_at: '2999-01-01' }),
    () => lift(),
    ...CAUSES.map((cause) => () => lift(cause)),
    () => choose('opt_out'),
    () => choose('opt_in'),
    async () => note('rule', await api().post('/rules').send({ pattern: ADA, effect: 'allow' })),
    async () => note('rule', await api().post('/rules').send({ pattern: ADA, effect: 'block' })),
    async () => note('unrule', await api().delete(`/rules/${ADA}`)),
    async () => {
      await world.database.query('UPDATE suppressions SET expires_at = now() WHERE expires_at IS NOT NULL');
      await world.app.get(ExpirySweep).run();
    },
    async () =>
      note(
        'check',
        await api()
          .post('/suppressions/check')
          .send({ emails: [ADA], topic: 'news' }),
      ),
  ];

  it('leave list, preferences, rules and ledger that agree', async () => {
    await api()
      .patch('/account')
      .send({ bounce_expiry: ['7d', '30d'] })
      .expect(200);
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let step = 0; step < STEPS; step++) {
          await OPERATIONS[(writer * 31 + step * 17 + ((writer * step) % 7)) % OPERATIONS.length]!();
        }
      }),
    );
    const unexpected = [...statuses.keys()].filter((key) => !/ (200|201|404)$/.test(key));
    expect(unexpected).toEqual([]);

    const lines = await world.database.query<LineOfAddress>(
      'SELECT action, suppression_id, cause, email_id FROM suppression_changes WHERE email = $1 ORDER BY revision',
      [ADA],
    );
    expect(new Set(lines.map(({ action }) => action)).size).toBeGreaterThan(5);
    const { record, subscription } = replayAddress(lines);
    const [row = null] = await world.database.query<Record<string, unknown>>(
      `SELECT id, cause, weaker_causes, email_id FROM suppressions WHERE email = $1`,
      [ADA],
    );
    const causes = CAUSES.filter((cause) => record?.causes.has(cause));
    const strongest = causes.at(-1);
    expect(row).toEqual(
      record && {
        id: record.id,
        cause: strongest,
        weaker_causes: maskOf(causes.slice(0, -1)),
        email_id: record.causes.get(strongest!) ?? null,
      },
    );

    const [preference] = await world.database.query<{ subscription: string }>(
      'SELECT subscription FROM topic_preferences WHERE email = $1',
      [ADA],
    );
    expect(preference?.subscription).toBe({ opted_in: 'opt_in', opted_out: 'opt_out' }[subscription!]);

    const [lastRule] = await world.database.query<{ action: string; effect: string }>(
      'SELECT action, effect FROM rule_changes ORDER BY id DESC LIMIT 1',
    );
    const rule = lastRule!.action === 'deleted' ? undefined : lastRule!.effect;
    const [ruleRow] = await world.database.query<{ effect: string }>('SELECT effect FROM rules');
    expect(ruleRow?.effect).toBe(rule);

    const verdict = async (body: object) =>
      (
        await api()
          .post('/suppressions/check')
          .send({ emails: [ADA], ...body })
          .expect(200)
      ).body.data[0].verdict;
    const isSuppressed = (...personal: boolean[]) =>
      personal.some(Boolean) ||
      causes.includes('manual') ||
      (rule === undefined ? causes.includes('bounce') : rule === 'block');
    const [complained, unsubscribed] = [causes.includes('complaint'), causes.includes('unsubscribe')];
    expect([
      await verdict({}),
      await verdict({ topic: 'news' }),
      await verdict({ transactional: true }),
    ]).toEqual(
      [
        isSuppressed(complained, unsubscribed),
        isSuppressed(complained, unsubscribed, subscription === 'opted_out'),
        isSuppressed(complained),
      ].map((suppressed) => (suppressed ? 'suppressed' : 'send')),
    );
  });
});
