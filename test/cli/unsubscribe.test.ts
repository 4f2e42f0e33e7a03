import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { sealToken } from '../../src/unsubscribe-links/token.js';
import { runCommand } from '../support/command-line.js';
import { PUBLIC_URL, tokenFor, verdictOn } from '../support/recipients.js';
import { startTestApp, TEST_SECRETS_KEY } from '../support/test-app.js';
import { createKey, createWorld, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const NEW_KEY = randomBytes(32).toString('base64');

describe('unsubscribe on the command line', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL })));
  afterAll(() => world.close());

  const cli = (command: string, settings: Record<string, string> = { SECRETS_KEY: TEST_SECRETS_KEY }) =>
    runCommand(
      command.match(/"[^"]+"|\S+/g)!.map((word) => word.replaceAll('"', '')),
      { DATABASE_URL: world.database.url, ...settings },
      tmpdir(),
    );
  const output = async (command: string) => {
    const { code, stdout, problems } = await cli(command);
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
    return stdout;
  };
  const postTo = async (token: string, url = world.url) =>
    (await fetch(`${url}/u/${token}`, { method: 'POST' })).text();

  it('prints the key with which a mailer creates its own links', async () => {
    const { id, key } = JSON.parse(await output('unsubscribe key --account acme --json'));
    expect(await output('unsubscribe key --account acme')).toBe(`${id} ${key}\n`);
    const bytes = Buffer.from(key, 'hex');
    const target = { email: ADA as EmailAddress, topicId: null, emailId: null };
    await postTo(sealToken({ accountId: 1, id, bytes }, target));
    expect(await verdictOn(world, world.alice, ADA)).toBe('suppressed');
  });

  it('replaces the key, and links made with the old one keep working', async () => {
    const old = await tokenFor(world, world.alice, 'grace@example.com');
    const before = await output('unsubscribe key --account acme');
    expect(await output('unsubscribe rotate --account acme')).toContain('Older links keep working.');
    expect(await output('unsubscribe key --account acme')).not.toBe(before);
    await postTo(old);
    expect(await verdictOn(world, world.alice, 'grace@example.com')).toBe('suppressed');
  });

  it('revokes a key once another one creates new links; its links then do nothing', async () => {
    const apiKey = await createKey(world, undefined, 'initech');
    await output('unsubscribe set --account initech --mailbox unsubscribe@mail.example.com');
    const mailIds = async () => {
      const rows = await world.database.query('SELECT email FROM unsubscribe_mail_ids ORDER BY email');
      return rows.map(({ email }) => email);
    };
    const linkFor = async (email: string) => {
      const request = { emails: [email], mailto: true };
      await world.as(apiKey).post('/unsubscribe-links').send(request).expect(200);
    };
    const { id } = JSON.parse(await output('unsubscribe key --account initech --json'));
    const revoke = `unsubscribe revoke ${id} --account initech`;
    const leaked = await tokenFor(world, apiKey, 'linus@example.com');
    await linkFor('linus@example.com');
    await linkFor('erased@example.com');
    // One is of an earlier version, which stored no key; the address of another one was erased, and its block kept.
    await world.database.query(`UPDATE unsubscribe_mail_ids SET key_id = NULL WHERE email LIKE 'linus@%'`);
    await world.database.query(
      `UPDATE unsubscribe_mail_ids SET email = 'erased-aaaaaaaaaaaaaaaaaaaaaaaaaa@erased.invalid' WHERE email LIKE 'erased@%'`,
    );
    expect((await fetch(`${world.url}/u/${leaked}`)).status).toBe(200);

    expect(await cli(revoke)).toMatchObject({ code: 2 });
    expect((await cli(`unsubscribe revoke ${id} --account globex --yes`)).code).toBe(3);
    expect((await cli(`${revoke} --yes`)).problems).toEqual([expect.stringContaining('unsubscribe rotate')]);
    await output('unsubscribe rotate --account initech');
    expect((await cli(`${revoke} --yes`)).problems).toEqual([expect.stringContaining('a minute later')]);
    expect((await fetch(`${world.url}/u/${leaked}`)).status).toBe(200);

    await world.database.query(`UPDATE unsubscribe_keys SET created_at = created_at - interval '2 minutes'`);
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    try {
      await linkFor('margaret@example.com');
      expect(await output(`${revoke} --yes`)).toContain(`Links made with the key ${id} stop working`);
      expect((await fetch(`${world.url}/u/${leaked}`)).status).toBe(404);
      await postTo(leaked);
      expect(await verdictOn(world, apiKey, 'linus@example.com')).toBe('send');
      const other = await tokenFor(world, apiKey, 'margaret@example.com');
      expect((await fetch(`${world.url}/u/${other}`)).status).toBe(200);
    } finally {
      clock.mockRestore();
    }
    expect(await mailIds()).toEqual(['margaret@example.com']);
    const keys: { id: number }[] = JSON.parse(await output('unsubscribe keys --account initech --json'));
    expect(keys.map((key) => key.id)).not.toContain(id);
    expect(keys).toHaveLength(1);
    expect((await cli(`${revoke} --yes`)).code).toBe(3);
  });

  it('names the sender on the page, and the mailbox for mailto links', async () => {
    const set = 'unsubscribe set --account acme --json';
    expect(JSON.parse(await output(`${set} --sender-name "Acme Bakery"`))).toEqual({
      account: 'acme',
      sender_name: 'Acme Bakery',
      mailbox: null,
    });
    expect(JSON.parse(await output(`${set} --mailbox Unsubscribe@mail.example.com`))).toEqual({
      account: 'acme',
      sender_name: 'Acme Bakery',
      mailbox: 'unsubscribe@mail.example.com',
    });
    expect(JSON.parse(await output(set))).toMatchObject({ sender_name: 'Acme Bakery' });
    expect(JSON.parse(await output('unsubscribe set --account globex --json'))).toMatchObject({
      mailbox: null,
    });
    const token = await tokenFor(world, world.alice, ADA);
    expect(await (await fetch(`${world.url}/u/${token}`)).text()).toContain('Acme Bakery');
    for (const mailbox of ['ada', `${'x'.repeat(38)}@example.com`, 'a+b@example.com']) {
      expect((await cli(`${set} --mailbox ${mailbox}`)).code).toBe(2);
    }
    expect((await cli('unsubscribe key --account nobody')).code).toBe(3);
  });

  it('keeps links working when SECRETS_KEY changes', async () => {
    const token = await tokenFor(world, world.alice, 'alan@example.com');
    const both = { SECRETS_KEY: NEW_KEY, SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY };
    const rotated = await cli('secrets rotate', both);
    expect(rotated.stdout).toMatch(
      /^Encrypted the secrets of 0 sources, 0 webhooks, 0 provider lists, [1-9]\d* unsubscribe keys, and 0 erasure keys\./,
    );
    const restarted = await startTestApp(world.database.url, { SECRETS_KEY: NEW_KEY, PUBLIC_URL });
    await postTo(token, restarted.url);
    await restarted.close();
    expect(await verdictOn(world, world.alice, 'alan@example.com')).toBe('suppressed');
    const stranded = await startTestApp(world.database.url, { SECRETS_KEY: TEST_SECRETS_KEY, PUBLIC_URL });
    const { status, headers } = await fetch(`${stranded.url}/u/${token}`, { method: 'POST' });
    await stranded.close();
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('revokes a key whose SECRETS_KEY is lost', async () => {
    const settings = { SECRETS_KEY: randomBytes(32).toString('base64') };
    await output('unsubscribe rotate --account acme');
    const keys = JSON.parse(await output('unsubscribe keys --account acme --json')) as { id: number }[];
    expect(await cli('unsubscribe rotate --account acme', settings)).toMatchObject({ code: 0 });
    await world.database.query(`UPDATE unsubscribe_keys SET created_at = created_at - interval '2 minutes'`);
    // An address of version 0.2.0, which stored no key.
    await world.database.query(
      `INSERT INTO unsubscribe_mail_ids (account_id, id, email) VALUES ($1, gen_random_uuid(), 'old@example.com')`,
      [world.acme.id],
    );
    expect(await cli(`unsubscribe revoke ${keys[0]!.id} --account acme --yes`, settings)).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('cannot be decrypted')],
    });
    await world.database.query('DELETE FROM unsubscribe_mail_ids WHERE key_id IS NULL');
    for (const { id } of keys) {
      const revoked = await cli(`unsubscribe revoke ${id} --account acme --yes`, settings);
      expect(revoked).toMatchObject({ code: 0, problems: [] });
    }
    expect(JSON.parse(await output('unsubscribe keys --account acme --json'))).toHaveLength(1);
  });
});
