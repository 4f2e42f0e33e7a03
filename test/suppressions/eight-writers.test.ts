import { randomUUID } from 'node:crypto';
import { CAUSES, maskOf, type Cause } from '../../src/ledger/cause.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { createKey, createWorld, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const WRITERS = 8;
const STEPS = 25;

interface Line {
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
function replay(lines: Line[]): { record: Model | null; subscription: string | null } {
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
  let world: World;
  let alice: string;
  let news: string;
  beforeAll(async () => {
    world = await createWorld();
    alice = await createKey(world);
    news = (
      await world.as(alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201)
    ).body.id;
  });
  afterAll(() => world.close());

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

    const lines = await world.database.query<Line>(
      'SELECT action, suppression_id, cause, email_id FROM suppression_changes WHERE email = $1 ORDER BY revision',
      [ADA],
    );
    expect(new Set(lines.map(({ action }) => action)).size).toBeGreaterThan(5);
    const { record, subscription } = replay(lines);
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
