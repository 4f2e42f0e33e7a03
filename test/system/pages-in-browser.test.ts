import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { UnsubscribeSettingsService } from '../../src/unsubscribe-links/unsubscribe-settings.service.js';
import { CHROMIUM, launchBrowser, PATIENCE_MS, violationsOn } from '../support/browser.js';
import { invite } from '../support/console.js';
import { type FakeSendGrid, startFakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { OPERATOR } from '../support/operator.js';
import { createSendGridList } from '../support/provider-lists.js';
import { createTopic, historyOf, PUBLIC_URL, tokenFor, verdictOn } from '../support/recipients.js';
import { createSource, postWithCredential } from '../support/sources.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, suppress, type World } from '../support/world.js';

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  isMobile: true,
  hasTouch: true,
};

/** A click whose request the browser has sent when the next one comes. */
const BRIEFLY = { delay: 50, noWaitAfter: true };

const LONG_DOMAIN = `${'d'.repeat(63)}.example`;

/** The names of the tables with columns that one has to scroll to. */
const CUT_OFF = `[...document.querySelectorAll('.scroll')]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
  .map((one) => one.ariaLabel)`;

/** Over plain HTTP, but not localhost, which browsers trust: a page that needs HTTPS shall fail here. */
const HOST = 'suppressions.example';

if (!CHROMIUM) {
  console.warn(
    'No page is tested in a browser, for there is no Chromium. Install it (on Debian: apt-get install chromium), or say in ' +
      'CHROMIUM_PATH where it is.',
  );
}

let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM) {
    const rules = `MAP ${HOST} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`;
    browser = await launchBrowser(`--host-resolver-rules=${rules}`);
  }
}, PATIENCE_MS);
afterAll(() => browser?.close());

(CHROMIUM ? describe : describe.skip)('the console in a browser', () => {
  let world: World;
  let sendgrid: FakeSendGrid;
  beforeAll(async () => {
    sendgrid = await startFakeSendGrid();
    world = await createWorld({ PROVIDER_API_URL_SENDGRID: sendgrid.url, ...LOOPBACK });
    await world
      .as(world.alice)
      .post('/events')
      .send([
        { type: 'bounce', email: 'ada@example.com', diagnostic: `550 5.1.1 User unknown ${'x'.repeat(300)}` },
        { type: 'unsubscribe', email: 'ada@example.com' },
      ])
      .expect(200);
    await suppress(world, world.alice, ['hand@example.com', `${'l'.repeat(64)}@${LONG_DOMAIN}`]);
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', default_subscription: 'opt_in' })
      .expect(201);
    await world
      .as(world.alice)
      .post('/rules')
      .send({ pattern: '*.rival.example', effect: 'block' })
      .expect(201);
  });
  afterAll(async () => {
    await world.close();
    await sendgrid.close();
  });

  /** The pages of a source with an automatic topic, and of a webhook with a delivery. */
  async function pathsOfRecords(): Promise<string[]> {
    const source = await createSource(world, 'mailjet', { options: { contactLists: [1] } });
    await postWithCredential(world, source, { event: 'unsub', email: 'left@example.com', mj_list_id: 7 });
    const newWebhook = { endpoint: 'https://example.com/hook', events: ['suppression.added'] };
    const { body: webhook } = await world.as(world.alice).post('/webhooks').send(newWebhook).expect(201);
    const { body: test } = await world.as(world.alice).post(`/webhooks/${webhook.id}/test`).send({});
    return [`sources/${source.id}`, `webhooks/${webhook.id}`]
      .flatMap((path) => [path, `${path}/delete`])
      .concat(`webhooks/${webhook.id}/deliveries/${test.id}`)
      .map((path) => `/console/${path}`);
  }

  /** A page on which an admin is signed in, with what the browser complains about. */
  async function open(options: BrowserContextOptions): Promise<{ page: Page; problems: string[] }> {
    const context = await browser.newContext({ ...options, bypassCSP: false });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const problems: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy|Uncaught/.test(message.text())) {
        problems.push(message.text());
      }
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(await invite(world, 'admin'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/console');
    return { page, problems };
  }

  it(
    'tells support why somebody gets no password reset, and lifts it, by keyboard alone',
    async () => {
      const { page, problems } = await open(DESKTOP);
      await page.locator('input[name=q]:focus').waitFor();
      await page.keyboard.type('ada@example.com');
      await page.keyboard.press('Enter');
      await page
        .getByText(/^Suppressed for transactional mail .* because the mailbox does not exist/)
        .waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Skip to content');
      await page.keyboard.press('Enter');
      await tabTo(page, 'Lift only: Bounce');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.type('Case 4711: a new mailbox');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('Lifted: Bounce.').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Lifted: Bounce.');
      await page.getByText('Suppressed for marketing mail').waitFor();
      await page.getByText('Transactional mail (such as password resets) may be sent.').waitFor();
      await page.getByText('Case 4711: a new mailbox').first().waitFor();
      expect(problems).toEqual([]);
    },
    2 * PATIENCE_MS,
  );

  it(
    'imports a file of SendGrid, after a check, on a phone',
    async () => {
      const { page, problems } = await open(PHONE);
      const menu = page.getByText('Menu', { exact: true });
      const closed = await menu.boundingBox();
      await menu.click();
      expect(await menu.boundingBox()).toEqual(closed);
      await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Imports' }).click();
      const file = {
        name: 'suppression_bounces.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('status,reason,email,created\n550,no such user,gone@phone.example,1700000000\n'),
      };
      await page.getByLabel('File', { exact: true }).setInputFiles(file);
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByText('SendGrid: bounces').waitFor();
      await page.getByText('checked', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Import now' }).click();
      await page.getByText('completed', { exact: true }).waitFor();
      await page.goto(`${world.url}/console?q=gone@phone.example`);
      await page.getByText(/Suppressed for all mail since 14 November 2023/).waitFor();
      await page.goto(`${world.url}/console/overview`);
      await page
        .getByText(/^Counted \d/)
        .first()
        .waitFor();
      expect(problems).toEqual([]);
    },
    2 * PATIENCE_MS,
  );

  it(
    'adds a source, shows how to set up its provider, and deletes it by keyboard alone',
    async () => {
      const { page, problems } = await open(DESKTOP);
      await page.getByRole('link', { name: 'Sources' }).click();
      await page.getByLabel('Provider').selectOption('postmark');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('In Postmark, open the message stream').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('The source is paused').waitFor();
      await tabTo(page, 'Delete');
      await page.keyboard.press('Enter');
      await page.getByText('The list keeps its suppressions').waitFor();
      await tabTo(page, 'Delete this source');
      await page.keyboard.press('Enter');
      await page.getByText('Source deleted.').waitFor();
      expect(problems).toEqual([]);
    },
    2 * PATIENCE_MS,
  );

  it(
    'does once what a person clicks twice',
    async () => {
      const { page, problems } = await open(DESKTOP);
      await page.goto(`${world.url}/console/api-keys`);
      await page.getByLabel('Name', { exact: true }).fill('Clicked twice');
      await page.getByLabel('suppressions:check-transactional').check();
      const keys = await world.database.lock('api_keys');
      await page.getByRole('button', { name: 'Create', exact: true }).dblclick(BRIEFLY);
      await keys.release();
      await page.getByText('The new key').waitFor();
      expect(await page.getByRole('rowheader', { name: 'Clicked twice' }).count()).toBe(1);
      expect(problems).toEqual([]);
    },
    2 * PATIENCE_MS,
  );

  it(
    'signs in somebody who clicks twice, even without scripts',
    async () => {
      const context = await browser.newContext({ ...DESKTOP, javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(await invite(world, 'viewer', 'twice@acme.example'));
      const person = await world.database.lockRow('people', `email = 'twice@acme.example'`);
      await page.getByRole('button', { name: 'Sign in' }).dblclick(BRIEFLY);
      await world.database.untilWaiting(2);
      await person.release();
      await page.getByText('twice@acme.example').waitFor();
    },
    2 * PATIENCE_MS,
  );

  it(
    'shows the end of a comparison without losing what a person enters meanwhile',
    async () => {
      const id = await createSendGridList(world, world.alice);
      const setStatus = (status: string) =>
        world.database.query('UPDATE provider_list_plans SET status = $2 WHERE provider_list_id = $1', [
          id,
          status,
        ]);
      await setStatus('comparing');
      const { page, problems } = await open(DESKTOP);
      await page.goto(`${world.url}/console/provider-lists/${id}`);
      const field = page.getByLabel('Where this is documented');
      await field.fill('Case 4711');
      await setStatus('ready');
      await page.getByText('not applied yet').first().waitFor();
      expect(await field.inputValue()).toBe('Case 4711');
      expect(problems).toEqual([]);
    },
    2 * PATIENCE_MS,
  );

  it(
    'cuts nothing off, however long names, domains and numbers are',
    async () => {
      const as = world.as(world.alice);
      await as.post('/rules').send({ pattern: LONG_DOMAIN, effect: 'block', note: 'n'.repeat(300) });
      await as
        .post('/topics')
        .send({ name: 'W'.repeat(50), default_subscription: 'opt_in' })
        .expect(201);
      const source = await createSource(world, 'mailjet', {
        name: 's'.repeat(100),
        options: { contactLists: [1] },
      });
      await postWithCredential(world, source, { event: 'unsub', email: 'left@example.com', mj_list_id: 8 });
      const { page } = await open(DESKTOP);
      await page.goto(`${world.url}/console/api-keys`);
      await page.getByLabel('Name', { exact: true }).fill('k'.repeat(100));
      await page.getByLabel('suppressions:check-transactional').check();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.goto(`${world.url}/console/overview`);
      await page.getByText(LONG_DOMAIN).waitFor();
      for (const width of [1280, 1100, 768, 390, 360]) {
        await page.setViewportSize({ width, height: 900 });
        for (const path of [
          '?q=ada@example.com',
          '?q=l',
          '/list',
          '/overview',
          '/topics',
          '/rules',
          '/sources',
          `/sources/${source.id}`,
          '/api-keys',
          '/audit-log',
        ]) {
          await page.goto(`${world.url}/console${path}`);
          expect({ width, path, cutOff: await page.evaluate(CUT_OFF) }).toEqual({ width, path, cutOff: [] });
        }
      }
      await page.goto(`${world.url}/console/overview`);
      const highest = page.locator('.chart text').first();
      const outside = await highest.evaluate((label: SVGTextElement) => {
        label.textContent = '1,192,290';
        const { viewBox } = label.ownerSVGElement!;
        const { x, y } = label.getBBox();
        return x < viewBox.baseVal.x || y < viewBox.baseVal.y;
      });
      expect(outside).toBe(false);
    },
    3 * PATIENCE_MS,
  );

  it.each([
    ['a light desktop', { ...DESKTOP, colorScheme: 'light' }],
    ['a dark phone', { ...PHONE, colorScheme: 'dark' }],
  ] as const)(
    'violates no rule of axe and overflows nowhere, on %s',
    async (_screen, options) => {
      const { page } = await open(options);
      const paths = [
        '/console',
        '/console?q=ada@example.com',
        '/console?q=nobody',
        '/console?q=hand@example.com',
        '/console/list',
        '/console/overview',
        '/console/imports',
        '/console/topics',
        '/console/rules',
        '/console/rules/*.rival.example',
        '/console/sources',
        '/console/sources/new?provider=ses',
        '/console/webhooks',
        '/console/api-keys',
        '/console/people',
        '/console/settings',
        '/console/audit-log',
        '/console/nothing',
        '/console/sign-in',
        '/docs/guides/README.md',
        '/docs/guides/verdicts.md',
        ...(await pathsOfRecords()),
      ];
      const context = await browser.newContext({
        ...options,
        bypassCSP: true,
        storageState: await page.context().storageState(),
      });
      const examined = await context.newPage();
      for (const path of paths) {
        await examined.goto(world.url + path);
        await examined.evaluate(
          `document.querySelectorAll('main details').forEach((one) => (one.open = true))`,
        );
        const violations = await violationsOn(examined);
        const width = await examined.evaluate('document.documentElement.scrollWidth');
        expect({ path, violations, width }).toEqual({ path, violations: [], width: options.viewport!.width });
      }
    },
    3 * PATIENCE_MS,
  );
});

/** Presses the tabulator until an element with this text has the focus. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.textContent.trim() === ${JSON.stringify(text)}`)) {
      return;
    }
  }
  throw new Error(`${text} cannot be reached by keyboard`);
}

const RECIPIENTS: [string, BrowserContextOptions][] = [
  ['in English', { locale: 'en-GB' }],
  ['in German', { locale: 'de-DE' }],
  ['in the dark', { locale: 'en-GB', colorScheme: 'dark' }],
  ['on a narrow screen', { locale: 'de-DE', viewport: { width: 320, height: 640 } }],
];

(CHROMIUM ? describe : describe.skip)('a recipient in a browser', () => {
  let world: World;
  let count = 0;
  beforeAll(async () => {
    world = await createWorld({ PUBLIC_URL });
    await world.app
      .get(UnsubscribeSettingsService)
      .update({ id: 1, name: 'acme' }, OPERATOR, { senderName: 'Acme Bakery' });
    await createTopic(world, world.alice, 'news', { name: 'News', description: 'Once a month' });
    await createTopic(world, world.alice, 'offers', { name: 'Offers' });
  });
  afterAll(() => world.close());

  const newRecipient = async () => {
    const email = `recipient${count++}@example.com`;
    const token = await tokenFor(world, world.alice, email, { topic: 'news' });
    return { email, url: `${world.url}/u/${token}` };
  };
  const open = async (url: string, options: BrowserContextOptions = { locale: 'en-GB' }): Promise<Page> => {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url);
    return page;
  };
  const button = (page: Page, name: string) => page.getByRole('button', { name });

  it('opts out of the newsletter, still gets the password reset, and undoes the opt-out', async () => {
    const { email, url } = await newRecipient();
    const page = await open(url);
    expect(await page.title()).toBe('Unsubscribe from News? · Acme Bakery');
    expect(await page.locator('main').innerText()).toContain('r•••@example.com will no longer receive News.');

    await button(page, 'Unsubscribe').click();
    await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
    expect(await page.getByRole('status').evaluate((status) => status === document.activeElement)).toBe(true);
    expect(await verdictOn(world, world.alice, email, { topic: 'news' })).toBe('suppressed');
    expect(await verdictOn(world, world.alice, email, { transactional: true })).toBe('send');

    await button(page, 'Undo').click();
    await page.getByRole('heading', { name: 'You are subscribed again' }).waitFor();
    expect(await verdictOn(world, world.alice, email, { topic: 'news' })).toBe('send');

    await page.getByLabel('Offers').uncheck();
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'Your choice is saved' }).waitFor();
    expect(await page.getByLabel('Offers').isChecked()).toBe(false);
    expect(await verdictOn(world, world.alice, email, { topic: 'offers' })).toBe('suppressed');

    await page.getByLabel('Unsubscribe from everything').check();
    await button(page, 'Save').click();
    await page.getByText('will no longer receive any mailings').waitFor();
    expect(await verdictOn(world, world.alice, email)).toBe('suppressed');
    await page.close();
  });

  it('opts in to nothing that they opted out of while the page was open', async () => {
    const { email, url } = await newRecipient();
    const page = await open(url);
    await fetch(url, { method: 'POST' });
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'Your choice is saved' }).waitFor();
    expect(await page.getByLabel('News').isChecked()).toBe(false);
    for (const language of ['Deutsch', 'English']) {
      await page.getByRole('link', { name: language }).click();
      await page.getByRole('link', { name: language }).waitFor({ state: 'detached' });
    }
    await page.getByLabel('News').check();
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'Your choice is saved' }).waitFor();
    await fetch(url, { method: 'POST' });
    await page.goBack();
    expect(await page.getByLabel('News').isChecked()).toBe(false);
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'Your choice is saved' }).waitFor();
    expect(await verdictOn(world, world.alice, email, { topic: 'news' })).toBe('suppressed');
    await page.close();
  });

  it('needs no mouse', async () => {
    const { email, url } = await newRecipient();
    const page = await open(url);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect(await verdictOn(world, world.alice, email, { topic: 'news' })).toBe('suppressed');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.getByRole('heading', { name: 'You are subscribed again' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await page.getByLabel('News').isChecked()).toBe(false);
    await page.close();
  });

  it('reads the page in a language of their choice, even after each form', async () => {
    const { email, url } = await newRecipient();
    const page = await open(`${url}/`);
    await page.getByRole('navigation', { name: 'Language of this page' }).getByText('Deutsch').click();
    await button(page, 'Abbestellen').click();
    await page.getByRole('heading', { name: 'Sie sind abgemeldet' }).waitFor();
    await page.getByRole('link', { name: 'Español' }).click();
    await page.getByRole('heading', { name: 'Se ha dado de baja' }).waitFor();
    await button(page, 'Deshacer').click();
    await page.getByRole('heading', { name: 'Su suscripción vuelve a estar activa' }).waitFor();
    expect(await verdictOn(world, world.alice, email, { topic: 'news' })).toBe('send');
    await page.close();
  });

  it('changes nothing by opening the page, even with a browser that runs everything', async () => {
    const { email, url } = await newRecipient();
    const requests: string[] = [];
    const page = await browser.newPage({ locale: 'en-GB' });
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    for (const address of [url, `${url}/`]) {
      await page.goto(address, { waitUntil: 'networkidle' });
      expect(await page.locator('script').count()).toBe(0);
      expect(await page.evaluate('getComputedStyle(document.querySelector("section")).borderRadius')).toBe(
        '12px',
      );
    }
    await until(() => requests.includes('GET /u/icon.svg'));
    expect(requests.filter((request) => !request.startsWith('GET /u/'))).toEqual([]);
    expect(await historyOf(world, world.alice, email)).toEqual([]);
    await page.close();
  });

  it.each(RECIPIENTS)('gets accessible pages %s', async (_title, options) => {
    const { url } = await newRecipient();
    const page = await open(url, { ...options, bypassCSP: true });
    const width = page.viewportSize()!.width;
    for (const action of ['unsubscribe', 'undo', 'preferences']) {
      expect(await violationsOn(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.locator(`button[value=${action}]`).click();
      await page.getByRole('status').waitFor();
    }
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(`${world.url}/u/AQAAAAEx`);
    expect(await violationsOn(page)).toEqual([]);
    await page.close();
  });
});

const DEVICES: [string, BrowserContextOptions][] = [
  ['a desktop', { viewport: { width: 1280, height: 900 } }],
  ['a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
];

/** What Chromium says of this header on every page over plain HTTP. It does no harm. */
const IGNORED_HEADER = 'The Cross-Origin-Opener-Policy header has been ignored';

const UNKNOWN = 'nobody@example.com';

(CHROMIUM ? describe : describe.skip)('Swagger UI at /docs', () => {
  let world: World;
  let origin: string;

  beforeAll(async () => {
    world = await createWorld();
    origin = `http://${HOST}:${new URL(world.url).port}`;
  });
  afterAll(() => world.close());

  it.each(DEVICES)(
    'authorizes, adds, gets and shows a 404 on %s',
    async (_screen, options) => {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(PATIENCE_MS);
      const problems = watch(page, origin);

      await page.goto(`${origin}/docs`);
      await authorize(page, world.alice);

      const added = await execute(await openOperation(page, 'batchAddSuppressions'), 201);
      const suppression = { object: 'suppression', id: expect.any(String) };
      expect(added).toEqual({ data: [suppression, suppression] });

      const get = await openOperation(page, 'getSuppression');
      expect(await execute(get, 200)).toMatchObject({ object: 'suppression', email: 'ada@example.com' });

      await get.getByPlaceholder('suppression').fill(UNKNOWN);
      expect(await execute(get, 404)).toMatchObject({ statusCode: 404, name: 'not_found' });

      await respond(await openOperation(page, 'createScrub'), 200);
      expect(await execute(await openOperation(page, 'getScrub'), 200)).toMatchObject({ object: 'scrub' });

      await page.getByPlaceholder('Filter by path, name, or text').fill('Import a file');
      await page.locator('.opblock[id$="-createScrub"]').waitFor({ state: 'detached' });
      const upload = await openOperation(page, 'createImport');
      await upload.locator('.opblock-section-request-body .content-type').selectOption('multipart/form-data');
      await upload
        .locator('input[type=file]')
        .setInputFiles({ name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('a@example.com\n') });
      expect(await execute(upload, 202)).toMatchObject({ object: 'import', filename: 'list.txt' });

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport!.width);
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(world.alice);
      expect(problems).toEqual([]);
      await page.close();
    },
    3 * PATIENCE_MS,
  );
});

/** Collects what the browser complains of and what it loads from elsewhere. The 404 that was asked for is none of it. */
function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  const unknown = `${origin}/suppressions/${encodeURIComponent(UNKNOWN)}`;
  page.on('console', (message) => {
    const expected = message.location().url === unknown || message.text().startsWith(IGNORED_HEADER);
    if (message.type() === 'error' && !expected) {
      problems.push(`console: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) {
      problems.push(`loaded from elsewhere: ${request.url()}`);
    }
  });
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400 && response.url() !== unknown) {
      problems.push(`${response.status()}: ${response.url()}`);
    }
  });
  return problems;
}

async function authorize(page: Page, apiKey: string): Promise<void> {
  await page.locator('.auth-wrapper').getByRole('button', { name: 'Authorize' }).click();
  const dialog = page.locator('.modal-ux');
  await dialog.locator('input').fill(apiKey);
  await dialog.locator('button.authorize').click();
  await dialog.getByText('Authorized').waitFor();
  await dialog.locator('button.btn-done').click();
}

async function openOperation(page: Page, operationId: string): Promise<Locator> {
  const operation = page.locator(`.opblock[id$="-${operationId}"]`);
  await operation.locator('.opblock-summary-control').click();
  return operation;
}

/** Executes an open operation as it stands, waits for a status to be shown, and returns the body that is shown with it. */
async function execute(operation: Locator, status: number): Promise<unknown> {
  const answer = await respond(operation, status);
  return JSON.parse(await answer.locator('.highlight-code code').innerText());
}

/** Executes an open operation as it stands, and waits for a status to be shown. */
async function respond(operation: Locator, status: number): Promise<Locator> {
  await operation.getByRole('button', { name: 'Execute' }).click();
  const shown = operation.page().locator('.response-col_status', { hasText: new RegExp(`^${status}$`) });
  const answer = operation.locator('.live-responses-table .response', { has: shown });
  await answer.waitFor();
  return answer;
}
