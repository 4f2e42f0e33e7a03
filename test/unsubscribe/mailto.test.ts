import { createHash } from 'node:crypto';
import PostalMime from 'postal-mime';
import { createTopic, historyOf, PUBLIC_URL, verdictOn } from '../support/recipients.js';
import { mail } from '../support/raw-mail.js';
import { createSource, postMail, readInbox, type TestSource } from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';
import { UnsubscribeSettingsService } from '../../src/unsubscribe-links/unsubscribe-settings.service.js';
import { OPERATOR } from '../support/operator.js';

describe('mail to the address of an unsubscribe link', () => {
  let world: World;
  let source: TestSource;
  let count = 0;
  beforeAll(async () => {
    world = await createWorld({ PUBLIC_URL });
    const settings = world.app.get(UnsubscribeSettingsService);
    await settings.update({ id: 1, name: 'acme' }, OPERATOR, {
      mailbox: 'unsubscribe@mail.example.com' as never,
    });
    await settings.update({ id: 2, name: 'globex' }, OPERATOR, {
      mailbox: 'unsubscribe@mail.example.org' as never,
    });
    source = await createSource(world, 'mail');
    await createTopic(world, world.alice, 'news');
  });
  afterAll(() => world.close());

  const newEmail = () => `recipient${count++}@example.com`;
  const mailboxFor = async (email: string, body: object = {}, key = world.alice): Promise<string> => {
    const { body: links } = await world
      .as(key)
      .post('/unsubscribe-links')
      .send({ emails: [email], mailto: true, ...body })
      .expect(200);
    const header = links.data[0].headers['List-Unsubscribe'];
    const [, mailbox] = /^<https:\S+>, <mailto:([^?>]+)\?subject=unsubscribe>$/.exec(header) ?? [];
    return mailbox!;
  };
  const send = (headers: Record<string, string>) =>
    postMail(
      world,
      source,
      mail({ From: 'Somebody <other@example.net>', Subject: 'unsubscribe', ...headers }, ''),
    );

  it('has a local part that every mail server accepts, and is the same each time', async () => {
    const email = newEmail();
    const mailbox = await mailboxFor(email);
    expect(mailbox).toMatch(/^unsubscribe\+[0-9a-v]{26}@mail\.example\.com$/);
    expect(await mailboxFor(email)).toBe(mailbox);
    expect(await mailboxFor(email, { topic: 'news' })).not.toBe(mailbox);
    expect(await mailboxFor(newEmail())).not.toBe(mailbox);
  });

  it('unsubscribes from everything, once, with its evidence', async () => {
    const email = newEmail();
    const mailbox = await mailboxFor(email);
    const [id] = /(?<=\+)\w+(?=@)/.exec(mailbox)!;
    for (const to of [mailbox, mailbox.toUpperCase()]) {
      expect((await send({ To: `<${to}>` })).status).toBe(200);
    }
    expect(await verdictOn(world, world.alice, email)).toBe('suppressed');
    expect(await historyOf(world, world.alice, email)).toMatchObject([
      {
        action: 'added',
        cause: 'unsubscribe',
        actor: { type: 'recipient' },
        evidence: { via: 'mail', token_hash: createHash('sha256').update(id!).digest('hex') },
      },
    ]);
  });

  it('opts out of a topic only, even if only the mail server knows the address', async () => {
    const email = newEmail();
    const mailbox = await mailboxFor(email, { topic: 'news' });
    await send({ 'Delivered-To': mailbox, To: 'undisclosed-recipients:;' });
    expect(await verdictOn(world, world.alice, email, { topic: 'news' })).toBe('suppressed');
    expect(await verdictOn(world, world.alice, email)).toBe('send');
  });

  it('unsubscribes at the next attempt if the first one stored only the events of the message', async () => {
    const email = newEmail();
    const headers = {
      To: await mailboxFor(email),
      From: 'mailer-daemon@example.net',
      'Content-Type': 'multipart/report; report-type=feedback-report; boundary=b',
    };
    const report = [
      '--b\r\nContent-Type: message/feedback-report\r\n',
      'Feedback-Type: abuse\r\nVersion: 1\r\nUser-Agent: test/1\r\nOriginal-Rcpt-To: other@example.com\r\n\r\n--b--',
    ];
    const deliver = () => postMail(world, source, mail(headers, report.join('\r\n')));
    const before = (await readInbox(world, source)).length;
    const lock = await world.database.lock('suppressions');
    const refused = deliver();
    await world.database.cancelWaiting();
    expect((await refused).status).toBe(503);
    await lock.release();
    expect(await readInbox(world, source)).toHaveLength(before + 1);
    expect(await verdictOn(world, world.alice, email)).toBe('send');
    expect((await deliver()).status).toBe(200);
    expect(await readInbox(world, source)).toHaveLength(before + 1);
    expect(await verdictOn(world, world.alice, email)).toBe('suppressed');
  });

  it('is parsed once', async () => {
    const parse = jest.spyOn(PostalMime, 'parse');
    try {
      expect((await send({ To: newEmail() })).status).toBe(200);
      expect(parse).toHaveBeenCalledTimes(1);
    } finally {
      parse.mockRestore();
    }
  });

  it.each([
    ['a made-up address', async () => `unsubscribe+${'0'.repeat(26)}@mail.example.com`],
    ['the mailbox itself', async () => 'unsubscribe@mail.example.com'],
    ['the address of another account', (email: string) => mailboxFor(email, {}, world.charlie)],
  ])('changes nothing at %s', async (_title, addressOf) => {
    const email = newEmail();
    expect((await send({ To: await addressOf(email) })).status).toBe(200);
    for (const key of [world.alice, world.charlie]) {
      expect(await historyOf(world, key, email)).toEqual([]);
    }
  });
});
