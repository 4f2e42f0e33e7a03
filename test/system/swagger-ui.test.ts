import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { CHROMIUM, launchBrowser, PATIENCE_MS } from '../support/browser.js';
import { createWorld, type World } from '../support/world.js';

/** Over plain HTTP, but not localhost, which browsers trust: a page that needs HTTPS shall fail here. */
const HOST = 'suppressions.example';
const SCREENS: [string, BrowserContextOptions][] = [
  ['a desktop', { viewport: { width: 1280, height: 900 } }],
  ['a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
];

/** What Chromium says of this header on every page over plain HTTP. It does no harm. */
const IGNORED_HEADER = 'The Cross-Origin-Opener-Policy header has been ignored';

const UNKNOWN = 'nobody@example.com';

if (!CHROMIUM) {
  console.warn(
    'Swagger UI is not tested, for there is no Chromium. Install it (on Debian: apt-get install chromium), or say in ' +
      'CHROMIUM_PATH where it is.',
  );
}

(CHROMIUM ? describe : describe.skip)('Swagger UI at /docs', () => {
  let world: World;
  let origin: string;
  let browser: Browser;

  beforeAll(async () => {
    world = await createWorld();
    origin = `http://${HOST}:${new URL(world.url).port}`;
    browser = await launchBrowser(`--host-resolver-rules=MAP ${HOST} 127.0.0.1, MAP * ~NOTFOUND`);
  }, 2 * PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await world.close();
  });

  it.each(SCREENS)(
    'authorizes, adds, gets and shows a 404 on %s',
    async (_screen, options) => {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(PATIENCE_MS);
      const problems = watch(page, origin);

      await page.goto(`${origin}/docs`);
      await authorize(page, world.alice);

      const added = await execute(await open(page, 'batchAddSuppressions'), 201);
      const suppression = { object: 'suppression', id: expect.any(String) };
      expect(added).toEqual({ data: [suppression, suppression] });

      const get = await open(page, 'getSuppression');
      expect(await execute(get, 200)).toMatchObject({ object: 'suppression', email: 'ada@example.com' });

      await get.getByPlaceholder('suppression').fill(UNKNOWN);
      expect(await execute(get, 404)).toMatchObject({ statusCode: 404, name: 'not_found' });

      await respond(await open(page, 'createScrub'), 200);
      expect(await execute(await open(page, 'getScrub'), 200)).toMatchObject({ object: 'scrub' });

      await page.getByPlaceholder('Filter by path, name, or text').fill('Import a file');
      await page.locator('.opblock[id$="-createScrub"]').waitFor({ state: 'detached' });
      const upload = await open(page, 'createImport');
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

async function open(page: Page, operationId: string): Promise<Locator> {
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
