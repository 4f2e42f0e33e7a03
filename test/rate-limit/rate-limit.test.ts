import { setTimeout as delay } from 'node:timers/promises';
import { signIn } from '../support/console.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

const LIMIT = 5;
const WINDOW_MS = 1_000;
/** Between requests, while a test waits for the next window. */
const PAUSE_MS = 20;

describe('RATE_LIMIT', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ RATE_LIMIT: String(LIMIT) })));
  afterAll(() => world.close());

  const burst = async (apiKey: string) =>
    Promise.all(Array.from({ length: 12 }, () => world.as(apiKey).get('/suppressions')));

  it('refuses requests of an account beyond it, reports the remaining ones, and does not affect other accounts', async () => {
    const [alice, charlie] = await Promise.all([burst(world.alice), burst(world.charlie)]);
    for (const answers of [alice, charlie]) {
      const allowed = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 429);
      expect(allowed.length + refused.length).toBe(12);
      expect(allowed.length).toBeGreaterThanOrEqual(5);
      expect(refused.length).toBeGreaterThan(0);
      expect(allowed[0]!.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-reset': '1' });
      expect(refused[0]!.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '1' });
      expect(refused[0]!.body).toMatchObject({ statusCode: 429, name: 'rate_limit_exceeded' });
    }
  });

  const ask = async (apiKey: string) => {
    const { status, headers } = await world.as(apiKey).get('/suppressions');
    return { status, remaining: Number(headers['ratelimit-remaining']) };
  };
  /** The first answer after a refusal. */
  const askFirstOfWindow = async (apiKey: string) => {
    await until(async () => (await ask(apiKey)).status === 429);
    for (;;) {
      const startedAt = performance.now();
      const answer = await ask(apiKey);
      if (answer.status === 200) {
        return { answer, startedAt };
      }
      await delay(PAUSE_MS);
    }
  };
  /** Asks as one after the other, until the first request began a window and the last one fell into it. */
  const askInOneWindow = async ([first, ...others]: [string, ...string[]]) => {
    for (;;) {
      const { answer, startedAt } = await askFirstOfWindow(first);
      const answers = [answer];
      for (const apiKey of others) {
        answers.push(await ask(apiKey));
      }
      if (performance.now() - startedAt < WINDOW_MS) {
        return answers;
      }
    }
  };

  it('counts the keys of one account together, and no others', async () => {
    const { alice, bob, charlie } = world;
    const answers = await askInOneWindow([alice, bob, charlie, alice, bob]);
    const ofAcme = answers.filter((_, index) => index !== 2);
    expect(ofAcme.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1]);
  });

  it('lets as many requests through as it says, and not one more', async () => {
    const answers = await askInOneWindow([world.alice, ...Array<string>(6).fill(world.alice)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(answers.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
  });

  it('lets requests through again when the second is over', async () => {
    const answers: number[] = [];
    await until(async () => {
      answers.push((await world.as(world.alice).get('/suppressions')).status);
      return answers.at(-1) !== 429;
    });
    expect(answers.at(-1)).toBe(200);
  });

  it('limits the console of an account as well, but not because its keys are busy', async () => {
    const browser = await signIn(world, 'viewer');
    await until(async () => (await ask(world.alice)).status === 429);
    await browser.get('/console').expect(200);
    const pages = await Promise.all(Array.from({ length: 12 }, () => browser.get('/console')));
    const refused = pages.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers).toMatchObject({
      'content-type': expect.stringContaining('text/html'),
      'retry-after': '1',
    });
    expect(refused[0]!.text).toContain('has reached its rate limit. Reload this page in a moment.');
    const other = await signIn(world, 'viewer', 'viewer@globex.example', world.globex.name);
    await other.get('/console').expect(200);
  });

  it('does not count requests that need no key', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.anyone.get('/healthz')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});
