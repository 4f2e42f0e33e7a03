import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { UnsubscribeSettingsService } from '../../src/unsubscribe-links/unsubscribe-settings.service.js';
import { CHROMIUM, launchBrowser, PATIENCE_MS, violationsOn } from '../support/browser.js';
import { createTopic, historyOf, PUBLIC_URL, tokenFor, verdictOn } from '../support/recipients.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';
import { OPERATOR } from '../support/operator.js';

const SCREENS: [string, BrowserContextOptions][] = [
  ['in English', { locale: 'en-GB' }],
  ['in German', { locale: 'de-DE' }],
  ['in the dark', { locale: 'en-GB', colorScheme: 'dark' }],
  ['on a narrow screen', { locale: 'de-DE', viewport: { width: 320, height: 640 } }],
];

if (!CHROMIUM) {
  console.warn('The page of recipients is not tested: install Chromium, or set CHROMIUM_PATH.');
}

(CHROMIUM ? describe : describe.skip)('a recipient in a browser', () => {
  let world: World;
  let browser: Browser;
  let count = 0;
  beforeAll(async () => {
    world = await createWorld({ PUBLIC_URL });
    await world.app
      .get(UnsubscribeSettingsService)
      .update({ id: 1, name: 'acme' }, OPERATOR, { senderName: 'Acme Bakery' });
    await createTopic(world, world.alice, 'news', { name: 'News', description: 'Once a month' });
    await createTopic(world, world.alice, 'offers', { name: 'Offers' });
    browser = await launchBrowser();
  }, 2 * PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await world.close();
  });

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

  it.each(SCREENS)('gets accessible pages %s', async (_title, options) => {
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
