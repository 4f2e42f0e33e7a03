import { ended, importFile } from '../support/imports.js';
import { createTopic, historyOf, press, PUBLIC_URL, tokenFor, verdictOn } from '../support/recipients.js';
import { reportByPostmark } from '../support/facts.js';
import { createSource } from '../support/sources.js';
import { createKey, createWorld, type World } from '../support/world.js';
import { LANGUAGES, messagesIn, type Language } from '../../src/unsubscribe/texts/languages.js';
import type { Messages } from '../../src/unsubscribe/texts/en.js';

const ADA = 'ada@example.com';

describe('the page of an unsubscribe link', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL })));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const page = async (token: string, language = 'en') =>
    (await fetch(`${world.url}/u/${token}`, { headers: { 'accept-language': language } })).text();
  const choose = (body: object) => world.as(alice).patch(`/contacts/${ADA}/topics`).send(body).expect(200);
  const actionsOf = async () => (await historyOf(world, alice, ADA)).map(({ action }) => action);
  /** The fields of the form that a browser sends if nobody changes them. */
  const fieldsIn = (html: string) =>
    [...html.matchAll(/<input [^>]*>/g)]
      .filter(([input]) => /type="hidden"| checked/.test(input))
      .map(([input]): [string, string] => [
        /name="([^"]+)"/.exec(input)![1]!,
        /value="([^"]+)"/.exec(input)![1]!,
      ]);

  describe('reverts', () => {
    it('the opt-out that it made', async () => {
      await createTopic(world, alice, 'news');
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      expect(await page(token)).not.toContain('value="undo"');
      expect(await (await press(world, token, 'unsubscribe')).text()).toContain('value="undo"');
      const undone = await (await press(world, token, 'undo')).text();
      expect(undone).toContain('You are subscribed again');
      expect(undone).not.toContain('value="undo"');
      expect(await verdictOn(world, alice, ADA, { topic: 'news' })).toBe('send');
      expect(await historyOf(world, alice, ADA)).toMatchObject([
        { action: 'opted_out', actor: { type: 'recipient' }, evidence: { via: 'page' } },
        { action: 'opted_in', actor: { type: 'recipient' }, evidence: { via: 'page' } },
      ]);
    });

    it('its unsubscribe from everything, and leaves the other causes', async () => {
      await world.as(alice).post('/suppressions').send({ email: ADA }).expect(201);
      const token = await tokenFor(world, alice, ADA);
      await fetch(`${world.url}/u/${token}`, { method: 'POST' });
      const undone = await (await press(world, token, 'undo')).text();
      expect(undone).toContain('Your unsubscribe is undone');
      expect(undone).not.toContain('You are subscribed again');
      const { body } = await world.as(alice).get(`/suppressions/${ADA}?include=causes`).expect(200);
      expect(body.causes).toMatchObject([{ cause: 'manual' }]);
      expect(await actionsOf()).toEqual(['added', 'strengthened', 'cause_removed']);
    });

    it.each([
      [
        'another link',
        async () => {
          await press(world, await tokenFor(world, alice, ADA), 'unsubscribe');
        },
      ],
      [
        'an API key, after the link did it and a person lifted it',
        async (token: string) => {
          await press(world, token, 'unsubscribe');
          await world.as(alice).delete(`/suppressions/${ADA}`).expect(200);
          await world
            .as(alice)
            .post('/events')
            .send([{ id: '1', type: 'unsubscribe', email: ADA, occurred_at: new Date().toISOString() }]);
          await world.as(alice).post('/suppressions').send({ email: ADA });
        },
      ],
    ])('nothing that was done by %s', async (_actor, doIt) => {
      const token = await tokenFor(world, alice, ADA);
      await doIt(token);
      expect(await page(token)).not.toContain('value="undo"');
      const before = await historyOf(world, alice, ADA);
      await press(world, token, 'undo');
      expect(await historyOf(world, alice, ADA)).toEqual(before);
      expect(await verdictOn(world, alice, ADA)).toBe('suppressed');
    });

    it('no unsubscribe that a source had reported; nor does a resubscribe at the source end it then', async () => {
      const account = (await world.as(alice).get('/account')).body.name as string;
      const source = await createSource(world, 'postmark', { account });
      await reportByPostmark(world, source, 'unsubscribe', ADA);
      const token = await tokenFor(world, alice, ADA);
      await press(world, token, 'unsubscribe');
      await fetch(`${world.url}/u/${token}`, { method: 'POST' });
      expect(await actionsOf()).toEqual(['added', 'cause_added']);
      expect(await page(token)).not.toContain('value="undo"');
      await press(world, token, 'undo');
      await reportByPostmark(world, source, 'resubscribe', ADA, { at: new Date(Date.now() + 1_000) });
      expect(await actionsOf()).toEqual(['added', 'cause_added']);
      expect(await verdictOn(world, alice, ADA)).toBe('suppressed');
    });

    it('no opt-out of a topic that the recipient never got', async () => {
      await createTopic(world, alice, 'beta', { default_subscription: 'opt_out' });
      const token = await tokenFor(world, alice, ADA, { topic: 'beta' });
      await fetch(`${world.url}/u/${token}`, { method: 'POST' });
      expect(await page(token)).not.toContain('value="undo"');
      await press(world, token, 'undo');
      expect(await verdictOn(world, alice, ADA, { topic: 'beta' })).toBe('suppressed');
    });
  });

  describe('offers', () => {
    it('public topics, and private ones that the recipient joined', async () => {
      await createTopic(world, alice, 'news');
      await createTopic(world, alice, 'secret', { visibility: 'private', default_subscription: 'opt_out' });
      await createTopic(world, alice, 'internal', { visibility: 'private' });
      await createTopic(world, alice, 'circle', { visibility: 'private', default_subscription: 'opt_out' });
      await choose([{ id: 'circle', subscription: 'opt_in' }]);
      await createTopic(world, alice, 'gone');
      const token = await tokenFor(world, alice, ADA, { topic: 'gone' });
      await world.as(alice).delete('/topics/gone').expect(200);
      const html = await page(token);
      expect([...html.matchAll(/<label for="topic-[^"]*"><bdi>([^<]*)</g)].map(([, name]) => name)).toEqual([
        'circle',
        'news',
      ]);
    });

    it('more than a hundred topics, and saves the choices among them', async () => {
      await createTopic(world, alice, 'circle', { visibility: 'private', default_subscription: 'opt_out' });
      await choose([{ id: 'circle', subscription: 'opt_in' }]);
      const news = await createTopic(world, alice, 'news');
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      await world.database.query(
        `INSERT INTO topics (account_id, key, name, default_subscription, visibility)
        SELECT account_id, 'topic-' || n, 'Topic ' || n, 'opt_in', 'public'
        FROM topics, generate_series(1, 900) AS n
        WHERE topics.id = $1`,
        [news],
      );
      const ids = [...(await page(token)).matchAll(/name="shown" value="([^"]+)"/g)].map(([, id]) => id!);
      expect(ids).toHaveLength(902);
      const shown = ids.map((id): [string, string] => ['shown', id]);
      const selected = ids.slice(1).map((id): [string, string] => ['topic', id]);
      const saved = await press(world, token, 'preferences', [...shown, ...selected]);
      expect(await saved.text()).toContain('Your choice is saved');
      const { body } = await world.as(alice).get(`/contacts/${ADA}/topics?limit=100`).expect(200);
      expect(body.has_more).toBe(true);
      expect(await verdictOn(world, alice, ADA, { topic: 'circle' })).toBe('suppressed');
      expect(await verdictOn(world, alice, ADA, { topic: 'news' })).toBe('send');
    });

    it('nothing to choose to somebody who can only end everything', async () => {
      const html = await page(await tokenFor(world, alice, ADA));
      expect(html).toContain('Unsubscribe from all mailings?');
      expect(html).not.toContain('type="checkbox"');
    });
  });

  describe('saves', () => {
    it('what changed, and no topic that the form did not show or offer', async () => {
      const news = await createTopic(world, alice, 'news');
      const beta = await createTopic(world, alice, 'beta', { default_subscription: 'opt_out' });
      const offers = await createTopic(world, alice, 'offers');
      const secret = await createTopic(world, alice, 'secret', {
        visibility: 'private',
        default_subscription: 'opt_out',
      });
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      const saved = await press(world, token, 'preferences', [
        ['shown', news],
        ['shown', beta],
        ['shown', secret],
        ['topic', beta],
        ['topic', secret],
      ]);
      expect(await saved.text()).toContain('Your choice is saved');
      const { body } = await world.as(alice).get(`/contacts/${ADA}/topics`).expect(200);
      expect(
        Object.fromEntries(body.data.map((one: Record<string, string>) => [one['id'], one['subscription']])),
      ).toEqual({ [news]: 'opt_out', [beta]: 'opt_in', [offers]: 'opt_in', [secret]: 'opt_out' });
      expect((await actionsOf()).toSorted()).toEqual(['opted_in', 'opted_out']);
    });

    it.each([
      ['one click', (token: string) => fetch(`${world.url}/u/${token}`, { method: 'POST' })],
      ['an API key', () => choose([{ id: 'tips', subscription: 'opt_out' }])],
    ])('no opt-in over an opt-out by %s that is newer than the page', async (_channel, optOut) => {
      await createTopic(world, alice, 'tips');
      const arch = await createTopic(world, alice, 'arch');
      const token = await tokenFor(world, alice, ADA, { topic: 'tips' });
      const fields = fieldsIn(await page(`${token}?lang=de`));
      await press(world, token, 'preferences', fields);
      expect(await actionsOf()).toEqual([]);
      await optOut(token);
      await press(world, token, 'preferences', fields);
      expect(await actionsOf()).toEqual(['opted_out']);
      const unticked = fields.filter(([name, value]) => name !== 'topic' || value !== arch);
      const saved = await press(world, token, 'preferences', unticked);
      expect(fieldsIn(await saved.text()).filter(([name]) => name === 'topic')).toEqual([]);
      expect(await verdictOn(world, alice, ADA, { topic: 'tips' })).toBe('suppressed');
      expect(await verdictOn(world, alice, ADA, { topic: 'arch' })).toBe('suppressed');
    });

    it('no opt-out over an opt-in that is newer than the page', async () => {
      await createTopic(world, alice, 'news');
      const beta = await createTopic(world, alice, 'beta', { default_subscription: 'opt_out' });
      await choose([{ id: 'news', subscription: 'opt_out' }]);
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      const fields = fieldsIn(await page(token));
      await choose(['news', 'beta'].map((id) => ({ id, subscription: 'opt_in' })));
      await press(world, token, 'preferences', fields);
      expect(await verdictOn(world, alice, ADA, { topic: 'news' })).toBe('send');
      expect(await verdictOn(world, alice, ADA, { topic: 'beta' })).toBe('send');
      await choose([{ id: beta, subscription: 'opt_out' }]);
      await press(world, token, 'preferences', [...fields, ['topic', beta]]);
      expect(await verdictOn(world, alice, ADA, { topic: 'beta' })).toBe('send');
    });

    it('no opt-in over any opt-out by a form of version 0.2.0, which does not say what it showed', async () => {
      const ids = {
        tips: await createTopic(world, alice, 'tips'),
        arch: await createTopic(world, alice, 'arch'),
        beta: await createTopic(world, alice, 'beta', { default_subscription: 'opt_out' }),
      };
      const token = await tokenFor(world, alice, ADA, { topic: 'tips' });
      await fetch(`${world.url}/u/${token}`, { method: 'POST' });
      const shown = Object.values(ids).map((id): [string, string] => ['shown', id]);
      await press(world, token, 'preferences', [...shown, ['topic', ids.tips], ['topic', ids.beta]]);
      expect(await verdictOn(world, alice, ADA, { topic: 'tips' })).toBe('suppressed');
      expect(await verdictOn(world, alice, ADA, { topic: 'arch' })).toBe('suppressed');
      expect(await verdictOn(world, alice, ADA, { topic: 'beta' })).toBe('send');
      await press(world, await tokenFor(world, alice, ADA), 'unsubscribe');
      const form = [...shown, ['topic', ids.tips]] as [string, string][];
      const asked = await (await press(world, token, 'resubscribe', form)).text();
      expect(asked).toContain('Please select below what you want to receive.');
      await press(world, token, 'resubscribe', [...fieldsIn(asked), ['topic', ids.tips]]);
      expect(await verdictOn(world, alice, ADA, { topic: 'tips' })).toBe('send');
    });

    const importAndRevert = async (topic: string, meanwhile?: () => Promise<unknown>) => {
      const { id, created_at } = await importFile(world, alice, `${ADA}\n`, { topic });
      await meanwhile?.();
      await world.as(alice).post(`/imports/${id}/revert`).expect(202);
      return { ...(await ended(world, alice, id)), created_at };
    };

    it('an opt-out that an import made, which then survives a revert of the import', async () => {
      const news = await createTopic(world, alice, 'news');
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      const save = () => press(world, token, 'preferences', [['shown', news]]);
      expect(await importAndRevert('news', save)).toMatchObject({ status: 'reverted', reverted: 0 });
      expect(await verdictOn(world, alice, ADA, { topic: 'news' })).toBe('suppressed');
      expect(await actionsOf()).toEqual(['opted_out']);
    });

    it('an opt-in that the revert of an import restores as it was', async () => {
      const beta = await createTopic(world, alice, 'beta', { default_subscription: 'opt_out' });
      const source_id = '019b2f5e-0000-7000-8000-000000000001';
      const token = await tokenFor(world, alice, ADA, { topic: 'beta', source_id });
      await press(world, token, 'preferences', [
        ['shown', beta],
        ['topic', beta],
      ]);
      const stored = async () => {
        const [row] = await world.database.query<{ updated_at: Date }>(
          'SELECT subscription, via, email_id, import_id, updated_at FROM topic_preferences WHERE topic_id = $1',
          [beta],
        );
        return row!;
      };
      const before = await stored();
      expect(before).toMatchObject({ subscription: 'opt_in', via: 'page', email_id: source_id });
      const { reverted, created_at } = await importAndRevert('beta');
      const restored = await stored();
      expect(reverted).toBe(1);
      expect(restored).toEqual({ ...before, updated_at: restored.updated_at });
      expect(restored.updated_at.getTime()).toBeLessThanOrEqual(Date.parse(created_at));
    });

    it('an end of everything, whatever else is selected', async () => {
      const news = await createTopic(world, alice, 'news');
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      const saved = await press(world, token, 'preferences', [
        ['shown', news],
        ['topic', news],
        ['everything', 'yes'],
      ]);
      const html = await saved.text();
      expect(html).toContain('will no longer receive any mailings');
      expect(html).toContain('value="undo"');
      expect(await verdictOn(world, alice, ADA)).toBe('suppressed');
      expect(await verdictOn(world, alice, ADA, { transactional: true })).toBe('send');
    });
  });

  describe('of another link, after an unsubscribe from everything,', () => {
    const everything = async () => {
      await press(world, await tokenFor(world, alice, ADA), 'unsubscribe');
    };

    it('offers a way back, and leaves its evidence', async () => {
      const news = await createTopic(world, alice, 'news');
      const offers = await createTopic(world, alice, 'offers');
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      await press(world, token, 'unsubscribe');
      await everything();
      const html = await page(token);
      expect(html).toContain('will no longer receive any mailings');
      expect(html).toContain('value="resubscribe"');
      expect(html).not.toMatch(/value="undo"|value="preferences"|name="everything"/);
      expect(fieldsIn(html).filter(([name]) => name === 'shown')).toEqual([
        ['shown', news],
        ['shown', offers],
      ]);
      const back = await press(world, token, 'resubscribe', [...fieldsIn(html), ['topic', news]]);
      const after = await back.text();
      expect(after).toContain('Your choice is saved');
      expect(after).toContain('value="preferences"');
      expect(await verdictOn(world, alice, ADA)).toBe('send');
      expect(await verdictOn(world, alice, ADA, { topic: 'news' })).toBe('send');
      expect(await verdictOn(world, alice, ADA, { topic: 'offers' })).toBe('suppressed');
      const last = (await historyOf(world, alice, ADA)).at(-1);
      expect(last).toMatchObject({
        action: 'removed',
        cause: 'unsubscribe',
        actor: { type: 'recipient' },
        evidence: { via: 'page', token_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
    });

    it.each(['a link without topics', 'the report of a provider'])(
      'ends it in a guarded account, too, if it came from %s',
      async (origin) => {
        await world.as(alice).patch('/account').send({ removal: 'guarded' }).expect(200);
        if (origin === 'a link without topics') {
          await everything();
        } else {
          await world.as(alice).post('/events').send({ type: 'unsubscribe', email: ADA }).expect(200);
        }
        const token = await tokenFor(world, alice, ADA);
        const html = await page(token);
        expect(html).toContain('value="resubscribe"');
        expect(html).not.toContain('<fieldset');
        await press(world, token, 'resubscribe');
        expect(await verdictOn(world, alice, ADA)).toBe('send');
      },
    );

    it('leaves other causes, and says so', async () => {
      await world.as(alice).post('/suppressions').send({ email: ADA }).expect(201);
      await everything();
      const back = await press(world, await tokenFor(world, alice, ADA), 'resubscribe');
      expect(await back.text()).toContain('may not receive mailings');
      expect(await actionsOf()).toEqual(['added', 'strengthened', 'cause_removed']);
    });

    it('lifts no complaint, and names the sender as the way back', async () => {
      await everything();
      await world.as(alice).post('/events').send({ type: 'complaint', email: ADA }).expect(200);
      const token = await tokenFor(world, alice, ADA);
      const html = await page(token);
      expect(html).toContain('please contact the sender');
      expect(html).not.toContain('value="resubscribe"');
      await press(world, token, 'resubscribe');
      const { body } = await world.as(alice).get(`/suppressions/${ADA}?include=causes`).expect(200);
      expect(body.causes).toMatchObject([{ cause: 'complaint' }, { cause: 'unsubscribe' }]);
      expect(await actionsOf()).toEqual(['added', 'strengthened']);
    });

    it('ticks only topics that the recipient chose before, and stores what the recipient ticks', async () => {
      const ids = {
        news: await createTopic(world, alice, 'news'),
        offers: await createTopic(world, alice, 'offers'),
        events: await createTopic(world, alice, 'events'),
      };
      await choose([{ id: ids.offers, subscription: 'opt_in' }]);
      const token = await tokenFor(world, alice, ADA);
      const ticked = (html: string) =>
        [...html.matchAll(/<input[^>]*name="topic" value="([^"]+)"[^>]*checked/g)].map(([, id]) => id);
      await everything();
      const other = await tokenFor(world, alice, ADA, { topic: 'news' });
      expect(ticked(await page(other))).toEqual([ids.offers]);
      const shown = fieldsIn(await page(other)).filter(([name]) => name !== 'topic');
      await press(world, token, 'resubscribe', [...shown, ['topic', ids.news]]);
      expect(ticked(await page(token))).toEqual([ids.news]);
      await everything();
      expect(ticked(await page(other))).toEqual([ids.news]);
    });

    it('asks somebody who selected no topic what to send, and changes nothing', async () => {
      const news = await createTopic(world, alice, 'news');
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      await press(world, token, 'unsubscribe');
      await everything();
      const before = await actionsOf();
      const html = await (await press(world, token, 'resubscribe', [['shown', news]])).text();
      expect(html).toContain('Please select below what you want to receive.');
      expect(html).toContain('value="resubscribe"');
      expect(await actionsOf()).toEqual(before);
      await press(world, token, 'resubscribe', [...fieldsIn(html), ['topic', news]]);
      expect(await verdictOn(world, alice, ADA, { topic: 'news' })).toBe('send');
    });

    it('changes no topic that the recipient chose since, unless its tick was changed', async () => {
      const news = await createTopic(world, alice, 'news');
      const offers = await createTopic(world, alice, 'offers');
      const events = await createTopic(world, alice, 'events');
      await choose([{ id: offers, subscription: 'opt_in' }]);
      const token = await tokenFor(world, alice, ADA, { topic: 'offers' });
      await everything();
      const fields = fieldsIn(await page(token));
      expect(fields).toContainEqual(['topic', offers]);
      await fetch(`${world.url}/u/${token}`, { method: 'POST' });
      const before = await actionsOf();
      const html = await (await press(world, token, 'resubscribe', fields)).text();
      expect(html).toContain('Please select below what you want to receive.');
      expect(await actionsOf()).toEqual(before);
      await choose([{ id: events, subscription: 'opt_in' }]);
      await press(world, token, 'resubscribe', [...fields, ['topic', news]]);
      expect(await verdictOn(world, alice, ADA, { topic: 'news' })).toBe('send');
      expect(await verdictOn(world, alice, ADA, { topic: 'offers' })).toBe('suppressed');
      expect(await verdictOn(world, alice, ADA, { topic: 'events' })).toBe('send');
    });

    it('subscribes nobody again by a form that was opened before', async () => {
      const news = await createTopic(world, alice, 'news');
      const token = await tokenFor(world, alice, ADA, { topic: 'news' });
      await everything();
      const saved = await press(world, token, 'preferences', [
        ['shown', news],
        ['topic', news],
      ]);
      expect(await saved.text()).toContain('value="resubscribe"');
      expect(await verdictOn(world, alice, ADA)).toBe('suppressed');
    });
  });

  it.each(['bounce', 'complaint'])('says from the beginning that a %s may stop mail, once', async (type) => {
    await createTopic(world, alice, 'news');
    const event = { type, email: ADA, ...(type === 'bounce' && { status: '5.1.1' }) };
    const token = await tokenFor(world, alice, ADA, { topic: 'news' });
    const timesIn = (html: string) => html.split('may not receive mailings').length - 1;
    expect(timesIn(await page(token))).toBe(0);
    await world.as(alice).post('/events').send(event).expect(200);
    expect(timesIn(await page(token))).toBe(1);
    const times = { unsubscribe: 0, undo: 1, preferences: 1 };
    for (const [action, expected] of Object.entries(times)) {
      expect(timesIn(await (await press(world, token, action)).text())).toBe(expected);
    }
    await world.as(alice).delete(`/suppressions/${ADA}`).expect(200);
    expect(timesIn(await page(token))).toBe(0);
  });

  it('shows the domain of the address as people write it', async () => {
    const html = await page(await tokenFor(world, alice, 'ada@xn--bcher-kva.example'));
    expect(html).toContain('a•••@bücher.example');
  });

  it('reads a name and a description in Hebrew from right to left', async () => {
    const [name, description] = ['חדשות (מאפייה)', 'פעם בחודש (בערך).'];
    await createTopic(world, alice, 'hebrew', { name, description });
    const html = await page(await tokenFor(world, alice, 'ada@example.com'));
    expect(html).toContain(`<bdi>${name}</bdi>`);
    expect(html).toContain(`<bdi>${description}</bdi>`);
  });

  it('masks the address, and escapes every name that people chose', async () => {
    const name = `<b>"News" & 'more'</b>`;
    await createTopic(world, alice, 'news', { name, description: '<script>alert(1)</script>' });
    for (const email of [`"<script>"@example.com`, `"><img src=x>"@example.com`, `'&x@example.com`]) {
      const html = await page(await tokenFor(world, alice, email, { topic: 'news' }));
      expect(html).toContain('•••@example.com');
      expect(html).toContain('&lt;b>');
      expect(html).toContain('&lt;script>alert(1)');
      expect(html).not.toMatch(/<script|<img|<b>/);
    }
  });

  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['fr-CH, en;q=0.9, fr;q=0.8, de;q=0.7', 'fr'],
    ['en;q=0.5, PL;q=0.8', 'pl'],
    ['sv, nl;q=0.3', 'nl'],
    ['pt-BR', 'pt'],
    ['es-419,es;q=0.9', 'es'],
    ['it;q=0, en', 'en'],
    ['*, de;q=0.1', 'en'],
    ['ja, constructor', 'en'],
    ['', 'en'],
  ])('for the browser languages %j is in %j', async (accepted, language) => {
    const html = await page(await tokenFor(world, alice, ADA), accepted);
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(messagesIn(language as Language).askTitle(null));
  });

  it('links to its other languages, names each in itself, and keeps the choice after every form', async () => {
    await createTopic(world, alice, 'news');
    const token = await tokenFor(world, alice, ADA, { topic: 'news' });
    const linksOf = (html: string) =>
      [...html.matchAll(/<a href="([^"]*)" hreflang="([^"]*)">([^<]*)/g)].map(([, ...link]) => link);
    const inGerman = `${token}?lang=de`;
    const shown = await page(inGerman, 'fr');
    expect(shown).toContain('<html lang="de">');
    expect(shown).toContain('<span aria-current="true">Deutsch</span>');
    expect(linksOf(shown)).toEqual([
      ['?lang=en', 'en', 'English'],
      ['?lang=es', 'es', 'Español'],
      ['?lang=fr', 'fr', 'Français'],
      ['?lang=it', 'it', 'Italiano'],
      ['?lang=nl', 'nl', 'Nederlands'],
      ['?lang=pl', 'pl', 'Polski'],
      ['?lang=pt', 'pt', 'Português'],
    ]);
    expect(shown).not.toMatch(/<form[^>]*action=/);
    const { doneTitle, undoneTitle, savedTitle } = messagesIn('de');
    for (const [action, title] of [
      ['unsubscribe', doneTitle],
      ['undo', undoneTitle],
      ['preferences', savedTitle],
    ] as const) {
      const done = await (await press(world, inGerman, action)).text();
      expect(done).toContain(`<h1>${title}</h1>`);
      expect(linksOf(done)).toEqual(linksOf(shown));
    }
    await press(world, inGerman, 'unsubscribe');
    expect(await page(`${token}?lang=pl`)).toContain(`<h1>${messagesIn('pl').doneTitle}</h1>`);
  });

  it.each([
    ['?lang=de-AT', 'de'],
    ['?lang=PT', 'pt'],
    ['?utm_source=news&lang=it', 'it'],
    ['?lang=xx', 'fr'],
    ['?lang=', 'fr'],
    ['?lang=xx&lang=nl', 'nl'],
    ['?lang=constructor', 'fr'],
    ['?lang=%', 'fr'],
  ])('with %j in a French browser is in %j', async (query, language) => {
    expect(await page((await tokenFor(world, alice, ADA)) + query, 'fr')).toContain(
      `<html lang="${language}">`,
    );
    expect(await page(`AQAAAAEx${query}`, 'fr')).toContain(messagesIn(language as Language).notFound);
  });

  it('explains in the language of the URL, or of the browser, why a form failed', async () => {
    const token = await tokenFor(world, alice, ADA);
    for (const [query, language] of [
      ['', 'it'],
      ['?lang=pl', 'pl'],
    ] as const) {
      const response = await fetch(`${world.url}/u/${token}${query}`, {
        method: 'POST',
        headers: { 'accept-language': 'it' },
        body: new URLSearchParams({ action: 'preferences', topic: 'x'.repeat(1_100_000) }),
      });
      expect(response.status).toBe(413);
      const html = await response.text();
      expect(html).toContain(`<html lang="${language}">`);
      expect(html).toContain(messagesIn(language).failed);
    }
  });
});

describe.each(LANGUAGES)('the texts in %s', (language) => {
  const [texts, english] = [messagesIn(language), messagesIn('en')];
  const entries = Object.entries(texts) as [keyof Messages, Messages[keyof Messages]][];
  const call = (text: Messages[keyof Messages], ...values: (string | null)[]): string =>
    typeof text === 'string' ? text : (text as (...all: (string | null)[]) => string)(...values);
  const valuesIn = (text: string) => text.match(/EMAIL|TOPIC/g)?.toSorted() ?? [];

  it('are all there', () => {
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english).toSorted());
    for (const [, text] of entries) {
      expect(call(text, 'EMAIL', 'TOPIC')).toMatch(/^\S.*\S$/);
    }
  });

  it('name the address and the topic where the English texts do', () => {
    for (const [name, text] of entries) {
      for (const values of [
        ['EMAIL', 'TOPIC'],
        ['EMAIL', null],
      ]) {
        const written = call(text, ...values);
        expect([name, valuesIn(written)]).toEqual([name, valuesIn(call(english[name], ...values))]);
        expect(written).not.toMatch(/\b(?:null|undefined)\b/);
      }
    }
    expect(texts.askTitle('TOPIC')).toContain('TOPIC');
    expect(texts.askTitle(null)).not.toMatch(/\bnull\b/);
  });

  it.each(LANGUAGES.filter((other) => other !== language))('are not those in %s', (other) => {
    const same = entries.filter(
      ([name, text]) => call(text, 'EMAIL', 'TOPIC') === call(messagesIn(other)[name], 'EMAIL', 'TOPIC'),
    );
    expect(same).toEqual([]);
  });

  it('ask about what has not happened yet', () => {
    expect(texts.ask('EMAIL', 'TOPIC')).not.toBe(texts.done('EMAIL', 'TOPIC'));
  });
});
