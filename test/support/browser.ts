import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page } from 'playwright-core';

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const CHROMIUM = process.env.CHROMIUM_PATH ?? USUAL_PLACES.find((path) => existsSync(path));

/** For one step of a browser on a busy machine. */
export const PATIENCE_MS = 120_000;

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-proxy-server',
];

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** @param args - further command line options of Chromium */
export function launchBrowser(...args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, timeout: PATIENCE_MS, args: [...ARGS, ...args] });
}

/** What axe finds on a page of a context with `bypassCSP`: rules and the elements that break them. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    const { violations } = await axe.run({ rules: { 'target-size': { enabled: true } } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
  });
}

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}
