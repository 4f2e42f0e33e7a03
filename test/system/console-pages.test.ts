import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { CHROMIUM, launchBrowser, PATIENCE_MS, violationsOn } from '../support/browser.js';
import { invite } from '../support/console.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { createSendGridList } from '../support/provider-lists.js';
import { createSource, postWithCredential } from '../support/sources.js';
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

if (!CHROMIUM) {
  console.warn(
    'The console is not tested in a browser, for there is no Chromium: see test/system/swagger-ui.test.ts.',
  );
}

(CHROMIUM ? describe : describe.skip)('the console in a browser', () => {
  let world: World;
  let browser: Browser;
  let sendgrid: FakeSendGrid;
  beforeAll(async () => {
    sendgrid = await startFakeSendGrid();
    world = await createWorld({ PROVIDER_API_URL_SENDGRID: sendgrid.url, ...LOOPBACK });
    browser = await launchBrowser();
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
  }, 2 * PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
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
