import type { Agent } from 'supertest';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { AdditionsService } from '../../src/suppressions/additions/additions.service.js';
import { OPERATOR } from '../support/operator.js';
import { MetricsServer } from '../../src/metrics/metrics-server.js';
import { liftForm, signIn } from '../support/console.js';
import { PUBLIC_URL, tokenFor } from '../support/recipients.js';
import { createSource, postWithCredential } from '../support/sources.js';
import { until } from '../support/until.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

describe('the search of the console', () => {
  let world: World;
  let viewer: Agent;
  let editor: Agent;
  beforeAll(async () => {
    world = await createWorld({ METRICS_PORT: '0', PUBLIC_URL });
    viewer = await signIn(world, 'viewer');
    editor = await signIn(world, 'editor', 'eve@acme.example');
  });
  afterAll(() => world.close());

  const report = (events: object[]) => world.as(world.alice).post('/events').send(events).expect(200);
  const answerFor = async (query: string, browser = viewer): Promise<string> => {
    const { text } = await browser.get('/console').query({ q: query }).expect(200);
    return text;
  };
  const sentencesFor = async (query: string): Promise<string[]> =>
    [...(await answerFor(query)).matchAll(/<p class="sentence">(.*?)<\/p>/g)].map(
      ([, sentence]) => sentence!,
    );
  const sentenceFor = async (query: string) => (await sentencesFor(query))[0]!;
  const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format();

  it('says in a sentence why an address gets no email', async () => {
    await report([
      { type: 'bounce', email: 'gone@example.com', diagnostic: '550 5.1.1 User unknown', status: '5.1.1' },
      { type: 'unsubscribe', email: 'quiet@example.com' },
      { type: 'complaint', email: 'angry@example.com' },
    ]);
    await suppress(world, world.alice, ['hand@example.com']);
    expect(await sentenceFor('Gone@Example.com')).toMatch(
      /^Suppressed for all mail since \d+ \w+ \d{4}, because the mailbox does not exist\.$/,
    );
    expect(await sentencesFor('quiet@example.com')).toEqual([
      `Suppressed for marketing mail since ${today}, because the recipient unsubscribed.`,
      'Transactional mail (such as password resets) may be sent.',
    ]);
    expect(await sentenceFor('angry@example.com')).toMatch(
      /because the recipient marked a message as spam\.$/,
    );
    expect(await sentenceFor('hand@example.com')).toMatch(
      new RegExp(
        `^Suppressed for all mail since ${today}, because it was added by the API key alice \\(….{8}\\)\\.$`,
      ),
    );
    expect(await sentenceFor('new@example.com')).toBe('May be mailed. Nothing suppresses this address.');
  });

  it('names the address in the title of the tab, and in the history of the browser', async () => {
    expect(await answerFor('Tab@example.com')).toContain('<title>tab@example.com – Suppression list</title>');
    expect((await viewer.get('/console').expect(200)).text).toContain('<title>Search –');
  });

  it('says why even a password reset does not arrive, if another cause stops it', async () => {
    await report([
      { type: 'bounce', email: 'both@example.com', diagnostic: '550 5.1.1 User unknown' },
      { type: 'unsubscribe', email: 'both@example.com' },
    ]);
    expect(await sentencesFor('both@example.com')).toEqual([
      `Suppressed for marketing mail since ${today}, because the recipient unsubscribed.`,
      `Suppressed for transactional mail (such as password resets) since ${today}, because the mailbox does not exist.`,
    ]);
  });

  it('tells API keys of the same name apart, as their page does', async () => {
    const email = 'twice@example.com';
    await suppress(world, world.alice, [email]);
    const other = await createKey(world, ['suppressions:write'], 'acme');
    await world.as(other).delete(`/suppressions/${email}`).expect(200);
    const answer = await answerFor(email);
    const names = [...answer.matchAll(/by the API key (alice \(…[0-9a-f]{8}\))/g)].map(([, name]) => name);
    expect(new Set(names).size).toBe(2);
    const { text: page } = await viewer.get('/console/api-keys').expect(200);
    names.forEach((name) => expect(page).toContain(name));
  });

  it('dates the cause that decides, not the record', async () => {
    const email = 'later@example.com';
    await report([{ type: 'bounce', email, diagnostic: '550 5.1.1 User unknown' }]);
    await world.database.query(
      `UPDATE suppressions SET created_at = created_at - interval '40 days' WHERE email = $1`,
      [email],
    );
    await suppress(world, world.alice, [email]);
    expect(await sentenceFor(email)).toContain(`since ${today}, because it was added by the API key alice`);
  });

  it('orders events and changes by when they happened, and shows second when it heard of them', async () => {
    const email = 'late@example.com';
    await report([
      { type: 'bounce', email, status: '4.2.2', occurred_at: '2026-01-19T08:00:00Z' },
      { type: 'complaint', email, occurred_at: '2026-01-21T08:00:00Z' },
      {
        type: 'bounce',
        email,
        diagnostic: '550 5.1.1 User unknown',
        occurred_at: '2026-01-20T08:00:00Z',
      },
    ]);
    const answer = await answerFor(email);
    expect(answer).toMatch(/class="sentence">Suppressed for all mail since 21 January 2026/);
    const { events, history } = /<h2>Events<(?<events>.*)<h2>History<(?<history>.*)$/s.exec(answer)!.groups!;
    const times = (text: string) =>
      [...text.matchAll(/datetime="(2026-01-\d\d|\d{4})/g)].map(([, day]) => day);
    const year = String(new Date().getUTCFullYear());
    expect(times(events!)).toEqual(['2026-01-21', year, '2026-01-20', year, '2026-01-19', year]);
    expect(events).toMatch(/20\sJan\s2026,\s08:00\sUTC<\/time><div class="muted">received /);
    expect(times(history!)).toEqual(['2026-01-21', year, '2026-01-20', year]);
    const { body } = await world
      .as(world.alice)
      .get(`/suppressions/${email}`)
      .query({ include: 'causes' })
      .expect(200);
    expect(body.causes).toMatchObject([
      { cause: 'complaint', since: '2026-01-21T08:00:00.000Z' },
      { cause: 'bounce', since: '2026-01-20T08:00:00.000Z' },
    ]);
  });

  it('does not believe a clock that is ahead', async () => {
    const email = 'ahead@example.com';
    const tomorrow = new Date(Date.now() + 12 * 60 * 60 * 1000).toISOString();
    await report([{ type: 'complaint', email, occurred_at: tomorrow }]);
    expect(await sentenceFor(email)).toContain(`since ${today},`);
    expect(await answerFor(email)).not.toContain(tomorrow.slice(0, 13));
  });

  it('names the rules and topics that decide', async () => {
    const as = world.as(world.alice);
    await report([{ type: 'bounce', email: 'a@partner.example', diagnostic: '550 5.1.1 User unknown' }]);
    await as.post('/rules').send({ pattern: '*.blocked.example', effect: 'block' }).expect(201);
    await as.post('/rules').send({ pattern: 'partner.example', effect: 'allow' }).expect(201);
    const { body } = await as
      .post('/topics')
      .send({ name: 'News & more', default_subscription: 'opt_in' })
      .expect(201);
    await as
      .patch('/contacts/reader@example.com/topics')
      .send([{ id: body.id, subscription: 'opt_out' }])
      .expect(200);
    expect(await sentenceFor('a@mail.blocked.example')).toBe(
      'Suppressed for all mail, because a rule blocks *.blocked.example.',
    );
    const { rule } = /href="(?<rule>[^"]+)">the rule \*\.blocked\.example</.exec(
      await answerFor('a@mail.blocked.example'),
    )!.groups!;
    await viewer
      .get(rule!)
      .expect(200)
      .expect(/Created.*Block.*by the API key alice/s);
    expect(await answerFor('reader@example.com')).toContain(
      `<a href="/console/topics/${body.id}">the topic News &amp; more</a>`,
    );
    expect(await sentenceFor('a@partner.example')).toBe(
      'May be mailed: a rule allows partner.example, although the mailbox does not exist.',
    );
    expect(await sentenceFor('reader@example.com')).toBe(
      'May be mailed, but not about News &amp; more, because an opt-out is stored.',
    );
    await as.post('/topics').send({ name: 'Club', key: 'club', default_subscription: 'opt_out' }).expect(201);
    expect(await sentenceFor('nobody@example.com')).toBe(
      'May be mailed, but not about Club, because the recipient did not opt in, and the topic requires an opt-in.',
    );
    await as.delete('/topics/club').expect(200);
  });

  describe('in an account with 120 topics', () => {
    const email = 'reader@topics.example';
    let browser: Agent;
    beforeAll(async () => {
      browser = await signIn(world, 'viewer', 'viewer@globex.example', 'globex');
      await world.database.query(
        `INSERT INTO topics (account_id, key, name, default_subscription, visibility)
        SELECT id, 'topic-' || n, 'Topic ' || lpad(n::text, 3, '0'), 'opt_in', 'private'
        FROM accounts, generate_series(1, 120) AS n
        WHERE accounts.name = 'globex'`,
      );
    });

    const choose = (numbers: number[], subscription: string) =>
      world
        .as(world.charlie)
        .patch(`/contacts/${email}/topics`)
        .send(numbers.map((n) => ({ id: `topic-${n}`, subscription })))
        .expect(200);
    const countedVerdicts = async (): Promise<string[]> => {
      const metrics = await (await fetch(world.app.get(MetricsServer).url!)).text();
      return metrics.split('\n').filter((line) => line.startsWith('suppression_list_verdicts_total{'));
    };
    const topicsOn = (html: string) => [...html.matchAll(/>(Topic \d{3})</g)].map(([, name]) => name);
    const rowOf = (html: string, name: string) => html.split('<tr>').find((row) => row.includes(`>${name}<`));

    it('shows them all in pages, and counts none of these verdicts in the metrics', async () => {
      const before = await countedVerdicts();
      const first = await answerFor(email, browser);
      expect(topicsOn(first)).toHaveLength(25);
      expect(first).toContain('Topics 1 to 25 of 120');
      const next = await browser.get('/console').query({ q: email, topics: 5 }).expect(200);
      expect(topicsOn(next.text).at(-1)).toBe('Topic 120');
      expect(topicsOn(next.text)).toHaveLength(20);
      await browser.get('/console').query({ q: email, topics: '-1' }).expect(200);
      expect(await countedVerdicts()).toEqual(before);
    });

    it('shows a refused choice on the page of its topic', async () => {
      const editing = await signIn(world, 'editor', 'editor@globex.example', 'globex');
      const { text: page } = await editing.get('/console').query({ q: email, topics: 2 }).expect(200);
      const [choice] = /[\w-]+ opt_out never/.exec(page)!;
      const note = 'n'.repeat(1_001);
      const { text } = await editing.post('/console/preferences').send({ email, topics: '2', choice, note });
      expect(text).toContain('Topics 26 to 50 of 120');
      expect(text).toContain(`value="${choice}" selected`);
    });

    it('distinguishes what the recipient chose from the default of the topic', async () => {
      await choose([1], 'opt_in');
      await choose([2], 'opt_out');
      const html = await answerFor(email, browser);
      expect(rowOf(html, 'Topic 001')).toContain(`Opted in on ${today}`);
      expect(rowOf(html, 'Topic 002')).toContain(`Opted out on ${today}`);
      expect(rowOf(html, 'Topic 003')).toContain('No choice: everyone gets it unless they opt out');
    });

    it('names up to three topics in its sentence, and counts more', async () => {
      const sentence = async () => /<p class="sentence">(.*?)<\/p>/.exec(await answerFor(email, browser))![1];
      await choose([1, 2, 3], 'opt_out');
      expect(await sentence()).toBe(
        'May be mailed, but not about Topic 001, Topic 002, and Topic 003, because an opt-out is stored.',
      );
      await choose([4, 119], 'opt_out');
      await world
        .as(world.charlie)
        .post('/rules')
        .send({ pattern: 'topics.example', effect: 'block', topic: 'topic-120' })
        .expect(201);
      expect(await sentence()).toBe(
        'May be mailed, but not about 6 of 120 topics, for the reasons in the table below.',
      );
      expect(topicsOn(await answerFor(email, browser)).slice(0, 7)).toEqual([
        'Topic 001',
        'Topic 002',
        'Topic 003',
        'Topic 004',
        'Topic 119',
        'Topic 120',
        'Topic 005',
      ]);
    });
  });

  it('finds an address by the id of its suppression, even after it was lifted', async () => {
    const [id] = await suppress(world, world.alice, ['by-id@example.com']);
    expect(await answerFor(id!)).toContain('by-id@example.com');
    await world.as(world.alice).delete(`/suppressions/${id}`).expect(200);
    expect(await answerFor(id!)).toContain('May be mailed');
  });

  it('says beside the forms that suppress what they stop', async () => {
    const consequence = 'no mail at all, not even a password reset';
    for (const path of ['/console', '/console?q=unknown@example.com']) {
      const { text } = await editor.get(path).expect(200);
      expect(text).toContain(consequence);
    }
  });

  it('says once what was done, and never because somebody followed a link', async () => {
    const done = 'The address is suppressed.';
    const { headers } = await editor.post('/console/add').send({ emails: 'once@example.com' }).expect(303);
    const page = (mode: string) => editor.get(headers.location!).set('Sec-Fetch-Mode', mode).expect(200);
    expect((await page('cors')).text).not.toContain(done);
    expect((await page('navigate')).text).toContain(done);
    expect((await page('navigate')).text).not.toContain(done);
    const { text } = await viewer.get('/console?q=once@example.com&done=added').expect(200);
    expect(text).not.toContain('role="status"');
  });

  it('takes the first of repeated parameters', async () => {
    const { text } = await viewer.get('/console?q=new@example.com&q=other@example.com').expect(200);
    expect(text).not.toContain('other@example.com');
    await viewer.get('/console/sources/new?provider=ses&provider=postmark').expect(200);
  });

  it('says what is wrong with a search for neither an address nor an id', async () => {
    const { text } = await viewer.get('/console').query({ q: '550 5.1.1' }).expect(400);
    expect(text).toContain(
      '“550 5.1.1” is not an email address: it must contain an @. Enter an address such as',
    );
    expect(text).toContain('value="550 5.1.1"');
    await viewer.get('/console').query({ q: 'a\0b' }).expect(400);
    const unknown = await viewer
      .get('/console')
      .query({ q: '00000000-0000-7000-8000-000000000000' })
      .expect(404);
    expect(unknown.text).toContain('No suppression has ever had this id. Search for the address instead.');
    expect(text + unknown.text).not.toMatch(/UUID|GET |scope/);
  });

  it('finds suppressed addresses by their beginning, at most twenty', async () => {
    await suppress(
      world,
      world.alice,
      Array.from({ length: 21 }, (_, index) => `kim.${String(index).padStart(2, '0')}@prefix.example`),
    );
    await suppress(world, world.alice, ['kimono@prefix.example', 'ükim@prefix.example']);
    await suppress(world, world.charlie, ['kim.theirs@prefix.example']);
    const found = async (query: string) =>
      [...(await answerFor(query)).matchAll(/>([^>]+@prefix\.example)<\/a>/g)].map(([, email]) => email);
    expect(await found('KIM')).toHaveLength(20);
    expect(await answerFor('kim')).toContain('Only the first 20 are shown.');
    expect(await found('kim.2')).toEqual(['kim.20@prefix.example']);
    expect(await found('kimo')).toEqual(['kimono@prefix.example']);
    expect(await found('Ükim')).toEqual(['ükim@prefix.example']);
    expect(await answerFor('kim%')).toContain('No address on the list begins with it.');
    expect(await answerFor('kimo')).not.toContain('Only the first');
  });

  it('leads from a domain to the list of its addresses', async () => {
    await suppress(world, world.alice, ['first.example@other.example']);
    for (const query of ['@Domain.example', 'domain.example']) {
      await viewer
        .get('/console')
        .query({ q: query })
        .expect(303)
        .expect('Location', '/console/list?domain=domain.example');
    }
    expect(await answerFor('first.example')).toContain('first.example@other.example');
  });

  it('says that an address was never seen, and names the one that was probably meant', async () => {
    await suppress(world, world.alice, ['typo@gmail.example', 'typo@elsewhere.example']);
    const never = 'This address has never been seen here';
    expect(await answerFor('typo@gmial.example')).toMatch(
      /This address has never been seen here\. Check its spelling\..*Did you mean <a href="[^"]*">typo@gmail\.example<\/a>/s,
    );
    expect(await answerFor('typo@gmial.example')).toContain('class="answer warn"');
    const unlike = await answerFor('typo@third.example');
    expect(unlike).toContain(never);
    expect(unlike).not.toContain('Did you mean');
    expect(await answerFor('typo@gmail.example')).not.toContain(never);
    expect(await answerFor('typo@gmail')).toMatch(/Did you mean <a href="[^"]*">typo@gmail\.example</);
    await report([{ type: 'bounce', email: 'seen@gmail.example', status: '4.2.2' }]);
    expect(await answerFor('seen@gmail.example')).not.toContain(never);
  });

  it('finds, lifts, and erases an address at a domain that only earlier versions accepted', async () => {
    const email = 'ada@xn--example-3ja5m.com';
    const entry = { note: null, expiresAt: null };
    const context = { accountId: world.acme.id, actor: OPERATOR, deadline: Infinity };
    const add = () => world.app.get(AdditionsService).add(context, email as EmailAddress, entry);
    await add();
    expect((await viewer.get('/console/list').expect(200)).text).toContain(
      '/console?q=ada%40xn--example-3ja5m.com',
    );
    expect(await sentenceFor(email)).toMatch(/^Suppressed for all mail/);
    const { headers } = await editor
      .post('/console/lift')
      .send(await liftForm(editor, email, 'manual'))
      .expect(303);
    const { text } = await editor.get(headers.location!).expect(200);
    expect(text).toContain('Lifted: Added by hand.');
    expect(text).toMatch(/Suppression lifted: Added by hand.*by eve@acme\.example/s);
    const admin = await signIn(world, 'admin', 'eraser@acme.example');
    const { body } = await admin.get('/console/personal-data').query({ email }).expect(200);
    expect(JSON.stringify(body)).toContain('"action":"removed"');
    await admin
      .post('/console/personal-data/erase')
      .send({ email, typed: email, block: 'erase', reference: 'Case 3', accept: 'yes' })
      .expect(303);
    await until(async () => {
      const { text: found } = await viewer.get('/console').query({ q: email }).expect(200);
      return found.includes('No address on the list begins with it');
    });
  });

  it('accepts an address as people copy it', async () => {
    await suppress(world, world.alice, ['copied@example.com']);
    for (const query of [
      '  copied@example.com ',
      'Cy Co <copied@example.com>',
      'mailto:copied@example.com',
    ]) {
      expect(await sentenceFor(query)).toMatch(/^Suppressed for all mail/);
    }
  });

  it.each([
    'stray@example.com,',
    'Stray <stray@example.com>;',
    '(stray@example.com)',
    '“stray@example.com”',
    '„stray@example.com“',
    '(stray@example.com).',
    '<stray@example.com',
    'stray@example.com>',
    '"Lovelace, Ada" <stray@example.com>,',
    '"stray"@example.com,',
    '\u202astray@example.com\u202c',
    'To: stray@example.com,',
    'RCPT TO:<stray@example.com>',
    'Final-Recipient: rfc822; stray@example.com',
  ])('finds the address in %j, which was copied with what surrounds it', async (query) => {
    await suppress(world, world.alice, ['stray@example.com']);
    expect(await sentenceFor(query)).toMatch(/^Suppressed for all mail/);
  });

  it.each(['stray@example.com/', 'stray@@example.com', 'str\u200bay@example.com', 'a,b'])(
    'does not take %j, which no address begins with, for the beginning of one',
    async (query) => {
      const { text } = await viewer.get('/console').query({ q: query }).expect(400);
      expect(text).toContain('is not an email address: it ');
    },
  );

  it('lifts one cause or all, in the name of the person', async () => {
    await report([
      { type: 'bounce', email: 'lift@example.com', diagnostic: '550 5.1.1 User unknown' },
      { type: 'unsubscribe', email: 'lift@example.com' },
    ]);
    const email = 'lift@example.com';
    const unsubscribe = await liftForm(editor, email, 'unsubscribe');
    const bounce = await liftForm(editor, email, 'bounce');
    const { headers } = await editor
      .post('/console/lift')
      .send({ ...unsubscribe, note: 'Case 1' })
      .expect(303);
    expect(await sentenceFor(email)).toMatch(/because the mailbox does not exist\.$/);
    await editor
      .get(headers.location!)
      .expect(200)
      .expect(/<p>Lifted: Unsubscribe\.<.*because the mailbox does not exist\.</s);
    await editor
      .post('/console/lift')
      .send(unsubscribe)
      .expect(404)
      .expect(/this was lifted before: Unsubscribe\..*because the mailbox does not exist/s);
    const lifted = await editor
      .post('/console/lift')
      .send({ ...bounce, note: 'Case 2' })
      .expect(303);
    expect((await editor.get(lifted.headers.location!)).text).toMatch(
      /role="status" tabindex="-1" autofocus(?:="")?><p>Lifted: Bounce\.<\/p>/,
    );
    expect(await sentenceFor(email)).toBe('May be mailed. Nothing suppresses this address.');
    await editor
      .post('/console/lift')
      .send(bounce)
      .expect(404)
      .expect(/lifted before: Bounce\./);
    const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`).expect(200);
    expect(body.data[0]).toMatchObject({
      action: 'removed',
      note: 'Case 2',
      actor: { type: 'person', id: expect.any(String), name: 'eve@acme.example' },
    });
    expect(await answerFor(email)).toMatch(/Suppression lifted: Bounce.*by eve@acme\.example.*Case 2/s);
  });

  it.each([
    [
      'brevo',
      'complaint',
      "Brevo's blocklist may still have this address: remove it there (Contacts > the contact >",
      (email: string) => ({ event: 'spam', email, 'message-id': `<${email}>`, ts_event: 1_763_632_740 }),
    ],
    [
      'postmark',
      'bounce',
      "Postmark's suppression list may still have this address: remove it there (the server > the message stream",
      (Email: string) => ({ RecordType: 'Bounce', ID: 42, Type: 'HardBounce', Email, Inactive: true }),
    ],
    [
      'postmark',
      'complaint',
      "remove it there (a request to Postmark's support",
      (Email: string) => ({ RecordType: 'SpamComplaint', ID: 43, Email }),
    ],
    [
      'sparkpost',
      'bounce',
      "SparkPost's suppression list may still have this address: remove it there (Recipients > Suppressions)",
      (rcpt_to: string) => [
        { msys: { message_event: { type: 'bounce', bounce_class: '10', event_id: '8434', rcpt_to } } },
      ],
    ],
  ] as const)(
    'reminds of the list of %s after a %s was lifted',
    async (provider, cause, reminder, eventOf) => {
      const email = `${cause}@${provider}.example`;
      await postWithCredential(world, await createSource(world, provider), eventOf(email));
      expect(await answerFor(email)).not.toMatch(/may still have this address/);
      await editor
        .post('/console/lift')
        .send(await liftForm(editor, email, cause))
        .expect(303);
      const answer = await answerFor(email);
      expect(answer.replaceAll('&#39;', "'")).toContain(reminder);
      expect(answer).not.toContain('If your mailers send through a provider');
    },
  );

  describe('lets an agent choose topics for a recipient,', () => {
    let topics: Record<'alpha' | 'beta', string>;
    beforeAll(async () => {
      const create = async (key: string) => {
        const topic = { key, name: `Topic ${key}`, default_subscription: 'opt_in' };
        return (await world.as(world.alice).post('/topics').send(topic).expect(201)).body.id as string;
      };
      topics = { alpha: await create('alpha'), beta: await create('beta') };
    });
    afterEach(() => world.as(world.alice).patch('/account').send({ removal: 'open' }).expect(200));

    /** What the form sends for a topic and a choice, such as `<id> opt_in`, as the page is at this moment. */
    const shownFor = async (email: string, choice: string): Promise<string> =>
      new RegExp(`value="(${choice} [^"]+)"`).exec(await answerFor(email, editor))?.[1] ?? choice;
    const choose = (browser: Agent, email: string, choices: string[], fields = {}) =>
      browser.post('/console/preferences').send({ email, topics: '1', choice: choices, ...fields });
    const subscriptionsOf = async (email: string): Promise<unknown> => {
      const { body } = await world.as(world.alice).get(`/contacts/${email}/topics`).expect(200);
      return Object.fromEntries(
        body.data
          .filter(({ id }: { id: string }) => Object.values(topics).includes(id))
          .map(({ name, subscription }: { name: string; subscription: string }) => [name, subscription]),
      );
    };

    it('and leaves those that the agent does not touch', async () => {
      const email = 'caller@example.com';
      expect(await answerFor(email)).not.toContain('action="/console/preferences');
      expect(await answerFor(email, editor)).toContain('Opt in or out of topics');
      await choose(editor, email, [`${topics.alpha} opt_out`, ''], { note: 'By phone' }).expect(303);
      expect(await subscriptionsOf(email)).toEqual({ 'Topic alpha': 'opt_out', 'Topic beta': 'opt_in' });
      const answer = await answerFor(email, editor);
      expect(answer).toContain('Opted out of: Topic alpha.');
      expect(answer).toMatch(/Opted out: Topic alpha.*by eve@acme\.example.*By phone/s);
      const optIn = await shownFor(email, `${topics.alpha} opt_in`);
      await choose(editor, email, [optIn, `${topics.beta} opt_out never`]).expect(303);
      expect(await answerFor(email, editor)).toContain('Opted in to: Topic alpha. Opted out of: Topic beta.');
      await choose(editor, email, ['', '']).expect(400, /Nothing was changed: choose for at least one topic/);
      await choose(viewer, email, [`${topics.beta} opt_in`]).expect(403);
      expect(await subscriptionsOf(email)).toEqual({ 'Topic alpha': 'opt_in', 'Topic beta': 'opt_out' });
    });

    it('but in a guarded account opts in again only with the consent that an admin records', async () => {
      const email = 'guarded-topic@example.com';
      const admin = await signIn(world, 'admin', 'ann@acme.example');
      await choose(editor, email, [`${topics.alpha} opt_out`]).expect(303);
      const asked = [await shownFor(email, `${topics.alpha} opt_in`)];
      await world.as(world.alice).patch('/account').send({ removal: 'guarded' }).expect(200);
      const consent = { consent_kind: 'recipient_request', consent_reference: 'Case 9' };
      for (const [browser, fields] of [[editor, consent] as const, [admin, {}] as const]) {
        const { text } = await choose(browser, email, asked, { ...fields, note: 'kept' }).expect(403);
        expect(text).toContain('only an admin opts a recipient in again');
        expect(text).toContain('value="kept"');
      }
      expect(await answerFor(email, editor)).not.toContain(`value="${topics.alpha} opt_in`);
      expect(await subscriptionsOf(email)).toMatchObject({ 'Topic alpha': 'opt_out' });
      await choose(admin, email, asked, consent).expect(303);
      expect(await subscriptionsOf(email)).toMatchObject({ 'Topic alpha': 'opt_in' });
      expect(await answerFor(email)).toContain('Consent: recipient request, Case 9');
    });

    it('and changes nothing if the recipient has chosen since the page was opened', async () => {
      const email = 'chose-meanwhile@example.com';
      const asked = [`${topics.alpha} opt_in never`, `${topics.beta} opt_in never`];
      const optOut = async () =>
        world.anyone.post(`/u/${await tokenFor(world, world.alice, email, { topic: 'alpha' })}`).expect(200);
      await optOut();
      const { text } = await choose(editor, email, asked, { note: 'kept' }).expect(409);
      expect(text).toContain('the choice changed after you opened the page: Topic alpha. See below');
      expect(text).toContain('value="kept"');
      expect(text).toContain(`value="${asked[1]}" selected`);
      expect(await subscriptionsOf(email)).toEqual({ 'Topic alpha': 'opt_out', 'Topic beta': 'opt_in' });
      const optIn = await shownFor(email, `${topics.alpha} opt_in`);
      await choose(editor, email, [optIn]).expect(303);
      await optOut();
      await choose(editor, email, [optIn]).expect(409);
      await choose(editor, email, [`${topics.alpha} opt_in`]).expect(409);
      expect(await subscriptionsOf(email)).toMatchObject({ 'Topic alpha': 'opt_out' });
    });

    it('and changes nothing if the recipient chooses while the form is stored', async () => {
      const email = 'chooses-at-once@example.com';
      const token = await tokenFor(world, world.alice, email, { topic: 'alpha' });
      const asked = [`${topics.alpha} opt_in never`, `${topics.beta} opt_out never`];
      const topic = await world.database.lockRow('topics', `id = '${topics.alpha}'`);
      const optOut = world.anyone.post(`/u/${token}`).then(({ status }) => status);
      await world.database.untilWaiting();
      const refused = choose(editor, email, asked).then((response) => response);
      await world.database.untilWaiting(2);
      await topic.release();
      expect(await optOut).toBe(200);
      const { status, text } = await refused;
      expect(status).toBe(409);
      expect(text).toContain('the choice changed after you opened the page: Topic alpha. See below');
      expect(await subscriptionsOf(email)).toEqual({ 'Topic alpha': 'opt_out', 'Topic beta': 'opt_in' });
    });

    it('and says what was done in a cookie that browsers keep', async () => {
      const apiKey = await createKey(world);
      const { body: account } = await world.as(apiKey).get('/account').expect(200);
      const other = await signIn(world, 'editor', 'long@topics.example', account.name);
      const choices: string[] = [];
      for (let index = 10; index < 35; index++) {
        const topic = {
          key: `long-${index}`,
          name: `${'長'.repeat(48)}${index}`,
          default_subscription: 'opt_in',
        };
        const { body } = await world.as(apiKey).post('/topics').send(topic).expect(201);
        choices.push(`${body.id} opt_out`);
      }
      const { headers } = await choose(other, 'long@example.com', choices).expect(303);
      const [cookie] = headers['set-cookie'] as unknown as string[];
      expect(cookie!.split(';')[0]!.length).toBeLessThanOrEqual(4_096);
      const { text } = await other.get('/console?q=long@example.com').expect(200);
      expect(text).toMatch(/Opted out of: 長+10, 長.*…/);
    });

    it('and reminds of what the provider still knows', async () => {
      const email = 'left-group@example.com';
      const mailjet = await createSource(world, 'mailjet', { options: { contactLists: [1] } });
      await postWithCredential(world, mailjet, { event: 'unsub', email, mj_list_id: 7 });
      const [, optIn] = /value="(\S+ opt_in 2\S+)"/.exec(await answerFor(email, editor))!;
      await choose(editor, email, [optIn!]).expect(303);
      expect(await answerFor(email)).toMatch(
        /Mailjet may still block email about .* to this address: subscribe it/,
      );
    });
  });

  describe('unsubscribes a recipient from everything except transactional mail,', () => {
    const unsubscribe = (browser: Agent, form: object) => browser.post('/console/unsubscribe').send(form);
    const stopped = `Suppressed for marketing mail since ${today}, because the recipient unsubscribed.`;

    it('once, in the name of the person', async () => {
      const email = 'called@example.com';
      expect(await answerFor(email, editor)).toContain('action="/console/unsubscribe?');
      expect(await answerFor(email)).not.toContain('action="/console/unsubscribe?');
      await unsubscribe(viewer, { email }).expect(403);
      await unsubscribe(editor, { email, note: 'By phone' }).expect(303);
      const answer = await answerFor(email, editor);
      expect(answer).toContain('Unsubscribed from everything except transactional mail.');
      expect(answer).toMatch(/Suppressed: Unsubscribe.*by eve@acme\.example.*By phone/s);
      expect(answer).not.toContain('action="/console/unsubscribe?');
      expect(await sentencesFor(email)).toEqual([
        stopped,
        'Transactional mail (such as password resets) may be sent.',
      ]);
      const { text } = await unsubscribe(editor, { email, note: 'By letter' }).expect(409);
      expect(text).toMatch(/already unsubscribed\..*because the recipient unsubscribed/s);
      const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`).expect(200);
      expect(body.data).toMatchObject([
        { action: 'added', note: 'By phone', actor: { type: 'person', name: 'eve@acme.example' } },
      ]);
    });

    it('besides what suppresses all mail', async () => {
      const email = 'gone-and-called@example.com';
      await report([{ type: 'bounce', email, diagnostic: '550 5.1.1 User unknown' }]);
      await unsubscribe(editor, { email }).expect(303);
      expect(await sentencesFor(email)).toEqual([
        stopped,
        `Suppressed for transactional mail (such as password resets) since ${today}, because the mailbox does not exist.`,
      ]);
    });

    it('and shows a form again that it refuses', async () => {
      const email = 'refused@example.com';
      await unsubscribe(editor, { email: 'refused' }).expect(400);
      const note = 'n'.repeat(1_001);
      const { text } = await unsubscribe(editor, { email, note }).expect(400);
      expect(text).toMatch(/<details class="act" open>.*action="\/console\/unsubscribe\?.*value="n{1001}"/s);
      expect(await sentenceFor(email)).toMatch(/^May be mailed/);
    });
  });

  it('reminds of unknown lists only after a lift of what mailers reported', async () => {
    const email = 'reminded@example.com';
    await report([{ type: 'complaint', email }]);
    await editor
      .post('/console/lift')
      .send(await liftForm(editor, email, 'complaint'))
      .expect(303);
    expect(await answerFor(email)).toContain('If your mailers send through a provider');
    await suppress(world, world.alice, ['by-hand@example.com']);
    await editor
      .post('/console/lift')
      .send(await liftForm(editor, 'by-hand@example.com', 'manual'))
      .expect(303);
    expect(await answerFor('by-hand@example.com')).not.toMatch(/may still have this address/);
  });

  it('sets only what a server said in its type', async () => {
    await report([
      { type: 'complaint', email: 'said@example.com' },
      { type: 'bounce', email: 'said@example.com', diagnostic: '550 5.1.1 User unknown' },
    ]);
    const answer = await answerFor('said@example.com');
    expect(answer).toContain('<p class="mono" dir="auto">550 5.1.1 User unknown</p>');
    expect(answer).toContain('<p dir="auto">The mailer that sent the message reported it.</p>');
  });

  it('lifts only the causes that the page showed', async () => {
    const email = 'meanwhile@example.com';
    await report([{ type: 'bounce', email, diagnostic: '550 5.1.1 User unknown' }]);
    const shown = await liftForm(editor, email, 'bounce', 'complaint');
    expect(shown.cause).toEqual([expect.stringMatching(/^bounce /)]);
    await report([{ type: 'complaint', email }]);
    const { headers } = await editor.post('/console/lift').send(shown).expect(303);
    await editor
      .get(headers.location!)
      .expect(/<p>Lifted: Bounce\.<.*because the recipient marked a message as spam\.</s);
    await editor.post('/console/lift').send({ email }).expect(400);
    await editor.post('/console/lift').send({ email, cause: 'complaint' }).expect(400);
    const { cause } = await liftForm(editor, email, 'complaint');
    await editor
      .post('/console/lift')
      .send({ email, cause: [...shown.cause, ...cause] })
      .expect(303);
    expect(await sentenceFor(email)).toMatch(/^May be mailed/);
  });

  describe('lifts no cause that was recorded again after the page was opened:', () => {
    const refusal = (name: string) =>
      new RegExp(`Nothing was lifted, because this was recorded again [^.]*: ${name}\\.`);
    const lift = (form: object) => editor.post('/console/lift').send({ ...form, note: 'Case B (old)' });

    it('an unsubscribe that another person lifted, and the recipient repeated', async () => {
      const email = 'decided-again@example.com';
      const unsubscribe = async () =>
        world.anyone.post(`/u/${await tokenFor(world, world.alice, email)}`).expect(200);
      await report([{ type: 'bounce', email, diagnostic: '550 5.1.1 User unknown' }]);
      await unsubscribe();
      const old = await liftForm(editor, email, 'unsubscribe', 'bounce');
      await editor
        .post('/console/lift')
        .send(await liftForm(editor, email, 'unsubscribe'))
        .expect(303);
      await unsubscribe();
      const { text } = await lift(old).expect(409).expect(refusal('Unsubscribe'));
      expect(text).not.toMatch(/<details class="act" open|Case B/);
      expect((await liftForm(editor, email, 'unsubscribe', 'bounce')).cause).toHaveLength(2);
      await lift(await liftForm(editor, email, 'unsubscribe', 'bounce')).expect(303);
    });

    it('an entry that was removed and added by hand again', async () => {
      const email = 'added-again@example.com';
      await suppress(world, world.alice, [email]);
      const old = await liftForm(editor, email, 'manual');
      await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
      await suppress(world, world.alice, [email]);
      await lift(old).expect(409).expect(refusal('Added by hand'));
      expect(await sentenceFor(email)).toMatch(/^Suppressed/);
    });

    it('one that is recorded while the form waits for the record', async () => {
      const email = 'at-once@example.com';
      await report([{ type: 'unsubscribe', email }]);
      const old = await liftForm(editor, email, 'unsubscribe');
      const record = await world.database.lockRow('suppressions', `email = '${email}'`);
      const repeat = async () => {
        await world.database.untilWaiting();
        await world.database.query(
          `INSERT INTO suppression_changes
            (account_id, email, action, cause, suppression_id, actor_type, actor_id, actor_name)
          SELECT account_id, email, 'cause_added', cause, suppression_id, actor_type, actor_id, actor_name
          FROM suppression_changes
          WHERE email = $1`,
          [email],
        );
        await record.release();
      };
      const [refused] = await Promise.all([lift(old), repeat()]);
      expect(refused.status).toBe(409);
      expect(refused.text).toMatch(refusal('Unsubscribe'));
      expect(await sentenceFor(email)).toMatch(/^Suppressed/);
    });
  });

  it('lifts none of several causes if one of them fails', async () => {
    const email = 'whole@example.com';
    await report([
      { type: 'bounce', email, diagnostic: '550 5.1.1 User unknown' },
      { type: 'complaint', email },
    ]);
    const form = await liftForm(editor, email, 'bounce', 'complaint');
    const lift = () => editor.post('/console/lift').send(form);
    await world.database.query(
      `ALTER TABLE suppression_changes
      ADD CONSTRAINT refusal CHECK (email <> '${email}' OR action <> 'removed') NOT VALID`,
    );
    await lift().expect(500);
    await world.database.query('ALTER TABLE suppression_changes DROP CONSTRAINT refusal');
    const { headers } = await lift().expect(303);
    await editor.get(headers.location!).expect(/Lifted: Bounce and Spam complaint\./);
  });

  it('says that it lifted a cause while the rest of the answer cannot be read', async () => {
    const email = 'unread@example.com';
    await report([{ type: 'bounce', email, diagnostic: '550 5.1.1 User unknown' }]);
    const form = await liftForm(editor, email, 'bounce');
    const events = await world.database.lock('delivery_events');
    const { status, headers } = await editor.post('/console/lift').send(form);
    await events.release();
    expect(status).toBe(303);
    await editor.get(headers.location!).expect(/Lifted: Bounce\./);
  });

  it('asks for what a lift requires if the account guards removals', async () => {
    const email = 'guarded@example.com';
    const admin = await signIn(world, 'admin');
    await report([{ type: 'complaint', email }]);
    const settings = { removal: 'guarded', complaint_reach: 'all', bounce_expiry: '' };
    await admin.post('/console/settings').send(settings).expect(303);
    await report([{ type: 'bounce', email, diagnostic: '550 5.1.1 User unknown' }]);
    const offered = await answerFor(email, editor);
    expect(offered).toContain('Lift only: Bounce');
    expect(offered).not.toMatch(/Lift only: Spam|Lift all causes|Where this is documented/);
    expect(offered).toMatch(/Only an admin lifts a spam complaint.*Your role is editor/s);
    expect(await answerFor(email, admin)).toMatch(/Lift all causes.*Where this is documented/s);
    const form = await liftForm(admin, email, 'complaint', 'bounce');
    const consent = { consent_kind: 'recipient_request', consent_reference: 'Case 4711' };
    const refused = await admin
      .post('/console/lift')
      .send({ ...form, note: 'Kept' })
      .expect(403);
    expect(refused.text).toMatch(/<details class="act" open>.*value="Kept"/s);
    expect(refused.text).toMatch(/guards removals\. Lifting a bounce needs a note.*record of the recipient/s);
    const { text } = await editor
      .post('/console/lift')
      .send({ ...form, ...consent })
      .expect(403);
    expect(text).toContain('Only an admin lifts a spam complaint or an unsubscribe.');
    expect(text + refused.text).not.toContain('suppressions:lift');
    await admin
      .post('/console/lift')
      .send({ ...form, note: 'Asked', ...consent })
      .expect(303);
    expect(await answerFor(email)).toContain('Consent: recipient request, Case 4711');
    await admin
      .post('/console/settings')
      .send({ ...settings, removal: 'open' })
      .expect(303);
  });

  it('adds a pasted list of a hundred', async () => {
    const emails = Array.from({ length: 100 }, (_, index) => `pasted${index}@example.com`);
    await editor
      .post('/console/add')
      .send({ emails: emails.join('\r\n'), note: 'From the old system' })
      .expect(303)
      .expect('Location', '/console/list');
    await editor.get('/console/list').expect(/100 addresses are suppressed\./);
    expect(await sentenceFor(emails[99]!)).toMatch(/because it was added by eve@acme\.example\.$/);
  });

  it('counts an address that was pasted twice only once', async () => {
    const emails = 'once@example.com\r\ntwice@example.com\r\nTWICE@example.com';
    await editor.post('/console/add').send({ emails, note: '' }).expect(303);
    await editor.get('/console/list').expect(/2 addresses are suppressed\./);
  });

  it('says that it did not store the note for addresses that were already added by hand', async () => {
    await suppress(world, world.alice, ['noted1@example.com', 'noted2@example.com']);
    await report([{ type: 'complaint', email: 'noted3@example.com' }]);
    const add = async (emails: string, note: string) => {
      const { headers } = await editor.post('/console/add').send({ emails, note }).expect(303);
      const { text } = await editor.get(headers.location!).expect(200);
      return /role="status".*?<p>(.*?)<\/p>/.exec(text)![1];
    };
    expect(await add('noted1@example.com', 'Why')).toBe(
      'The address is suppressed. The note was not stored, because it was already on the list as “Added by hand”.',
    );
    expect(await add('noted1@example.com', '')).toBe('The address is suppressed.');
    const several = [1, 2, 3, 4].map((number) => `noted${number}@example.com`).join(' ');
    expect(await add(several, 'Why')).toBe(
      '4 addresses are suppressed. The note was not stored for those that were already on the list as “Added by hand”: 2.',
    );
    expect(await answerFor('noted3@example.com')).toContain('<p dir="auto">Why</p>');
  });

  it('accepts a pasted list with the names of the owners', async () => {
    const emails = 'Ann <ann@pasted.example>, "Bee, B" <bee@pasted.example>\nmailto:cy@pasted.example';
    await editor.post('/console/add').send({ emails, note: '' }).expect(303);
    for (const name of ['ann', 'bee', 'cy']) {
      expect(await sentenceFor(`${name}@pasted.example`)).toMatch(/^Suppressed/);
    }
  });

  it('adds nothing of a list with mistakes, names them all, and shows the list again', async () => {
    const emails = 'fine@example.com, not-an-address\nada@\n\nnot@an address';
    const { text } = await editor.post('/console/add').send({ emails, note: 'n' }).expect(400);
    expect(text).toContain('Nothing was added.');
    expect([...text.matchAll(/<li>(Line .*?)<\/li>/g)].map(([, problem]) => problem)).toEqual([
      'Line 1: “not-an-address” must contain an @.',
      'Line 2: “ada@” must have a domain after the @.',
      'Line 4: “address” must contain an @.',
    ]);
    expect(text).toContain(`>${emails}</textarea>`);
    expect(await sentenceFor('fine@example.com')).toMatch(/^May be mailed/);
    const tooMany = Array.from({ length: 101 }, (_, index) => `many${index}@example.com`).join(' ');
    await editor
      .post('/console/add')
      .send({ emails: tooMany })
      .expect(400)
      .expect(/at most 100/);
    await editor
      .post('/console/add')
      .send({ emails: 'ada@example.com\n'.repeat(70_000) })
      .expect(413)
      .expect(
        /this is too large: a form may have 1 MiB, and a file 1 GiB\. To suppress many addresses, import a file/,
      );
  });

  it('offers viewers no changes', async () => {
    const text = await answerFor('hand@example.com');
    expect(text).toContain('Suppressed for all mail');
    expect(text).toMatch(/An editor or an admin can lift this\..*href="\/console\/people"/s);
    expect(text).not.toContain('action="/console/lift');
    await viewer.post('/console/lift').send({ email: 'hand@example.com' }).expect(403);
    expect(await sentenceFor('hand@example.com')).toMatch(/^Suppressed/);
  });

  it('shows nothing of another account', async () => {
    await suppress(world, world.charlie, ['theirs@example.com']);
    expect(await sentenceFor('theirs@example.com')).toBe('May be mailed. Nothing suppresses this address.');
  });

  it('shows the newest long notes and diagnostics in full, and the beginning of the others', async () => {
    const email = 'long@example.com';
    const [note, diagnostic] = [`${'x'.repeat(239)}👍 the case`, `550 5.1.1 ${'y'.repeat(300)} the end`];
    await report([{ type: 'bounce', email, diagnostic }]);
    const { body } = await world.as(world.alice).post('/suppressions').send({ email, note }).expect(200);
    const first = await answerFor(body.id);
    const history = (text: string) => text.slice(text.indexOf('<h2>History'));
    expect(history(first)).toMatch(/<summary>x{239}…<\/summary>…👍 the case</);
    expect(first).toMatch(/<summary>550 5\.1\.1 y{230}…<\/summary>…y{70} the end</);
    for (let change = 0; change < 4; change++) {
      await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
      await suppress(world, world.alice, [email]);
    }
    expect(history(await answerFor(body.id))).toMatch(/<div dir="auto">x{239}…<\/div>/);
  });

  it('reads a note in Hebrew from right to left', async () => {
    const [email, note] = ['hebrew@example.com', 'בקשה של הלקוחה (שיחה 4711).'];
    await world.as(world.alice).post('/suppressions').send({ email, note }).expect(201);
    const answer = await answerFor(email, editor);
    expect(answer).toContain(`<p dir="auto">${note}</p>`);
    expect(answer).toContain(`<div dir="auto">${note}</div>`);
    expect(answer).toMatch(/<input id="note-manual"[^>]* dir="auto"/);
  });

  it('escapes hostile addresses, notes and diagnostics', async () => {
    const email = `"<script>alert(1)</script>"@example.com`;
    await world.as(world.alice).post('/suppressions').send({ email, note: HOSTILE }).expect(201);
    await report([{ type: 'bounce', email, diagnostic: `550 5.1.1 User unknown ${HOSTILE}` }]);
    const { text } = await viewer.get('/console').query({ q: email }).expect(200);
    expect(text).toContain('&lt;script');
    expect(text).not.toMatch(/<script>|<img/);
    const { text: refused } = await viewer.get('/console').query({ q: HOSTILE }).expect(400);
    expect(refused).not.toMatch(/<script>|<img/);
  });
});
