import type { CheckedEmailDto } from '../../src/suppressions/dto/checked.dto.js';
import { createWorld, suppress, type World } from '../support/world.js';

describe('POST /suppressions/check', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const check = (emails: unknown) => world.as(world.alice).post('/suppressions/check').send({ emails });

  it('gives each address a verdict, in the order and the spelling of the request', async () => {
    const [id] = await suppress(world, world.alice, ['ada@example.com']);
    const record = await world.as(world.alice).get(`/suppressions/${id}`);
    const { body } = await check([
      'new@example.com',
      ' ADA@Example.com',
      'not an address',
      'ada@example.com',
    ]).expect(200);
    const decided_by = { type: 'suppression', id, cause: 'manual' };
    expect(body).toEqual({
      object: 'list',
      data: [
        { email: 'new@example.com', verdict: 'send', suppression: null, decided_by: null },
        { email: ' ADA@Example.com', verdict: 'suppressed', suppression: record.body, decided_by },
        { email: 'not an address', verdict: 'invalid', suppression: null, decided_by: null },
        { email: 'ada@example.com', verdict: 'suppressed', suppression: record.body, decided_by },
      ],
    });
  });

  it.each([100, 101, 1000])('answers for %d addresses', async (count) => {
    const emails = Array.from({ length: count }, (_, index) => `größe-${index}-of-${count}@example.com`);
    const ids = await suppress(world, world.alice, emails.slice(1, 101));
    const { body } = await check(emails).expect(200);
    expect(body.object).toBe('list');
    const verdicts = body.data.map(({ email, verdict, suppression }: CheckedEmailDto) => [
      email,
      verdict,
      suppression?.id,
    ]);
    const listed = (email: string, index: number) => [email, 'suppressed', ids[index]];
    const unknown = (email: string) => [email, 'send', undefined];
    expect(verdicts).toEqual([
      unknown(emails[0]!),
      ...emails.slice(1, 101).map(listed),
      ...emails.slice(101).map(unknown),
    ]);
  });

  it.each([
    ['none', [], 'emails', 'must have at least 1 email address'],
    ['1001', Array(1001).fill('a@example.com'), 'emails', 'must have at most 1000 email addresses'],
    ['no array', 'a@example.com', 'emails', 'must be an array of 1 to 1000 email addresses'],
    ['what is no text', ['a@example.com', 7], 'emails[1]', 'must be a string'],
  ])('refuses %s', async (_what, emails, path, message) => {
    const { body } = await check(emails).expect(400);
    expect(body.errors).toEqual([{ path, message }]);
  });
});
