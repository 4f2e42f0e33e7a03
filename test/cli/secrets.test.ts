import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { SourceSecrets } from '../../src/inbound/sources/source-secrets.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { runCommand } from '../support/command-line.js';
import { createSource } from '../support/sources.js';
import { startTestApp, TEST_SECRETS_KEY } from '../support/test-app.js';
import { createWorld, type World } from '../support/world.js';

const NEW_KEY = randomBytes(32).toString('base64');

describe('a change of SECRETS_KEY', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const rotate = (settings: Record<string, string>) =>
    runCommand(['secrets', 'rotate'], { DATABASE_URL: world.database.url, ...settings }, tmpdir());
  const secretsWith = async (id: string, settings: Record<string, string>) => {
    const { app, close } = await startTestApp(world.database.url, settings);
    const sources = app.get(SourcesService);
    const { secrets } = app.get(SourceSecrets).settingsOf(await sources.get(id));
    await close();
    return secrets;
  };

  it('leaves the sources readable before, during and after the re-encryption of their secrets', async () => {
    const first = await createSource(world, 'mailgun');
    const second = await createSource(world, 'postmark');
    const both = { SECRETS_KEY: NEW_KEY, SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY };
    expect(await secretsWith(first.id, both)).toEqual(first.secrets);

    const done = expect.stringMatching(/^Encrypted the secrets of 2 sources/);
    expect(await rotate(both)).toEqual({ code: 0, stdout: done, problems: [] });
    expect(await secretsWith(first.id, { SECRETS_KEY: NEW_KEY })).toEqual(first.secrets);
    expect(await secretsWith(second.id, { SECRETS_KEY: NEW_KEY })).toEqual(second.secrets);

    const nothing = expect.stringMatching(/^Encrypted the secrets of 0 sources/);
    expect(await rotate({ SECRETS_KEY: NEW_KEY })).toEqual({ code: 0, stdout: nothing, problems: [] });
  });

  it('is refused, and changes nothing, if neither key is the old one', async () => {
    const before = await world.database.query('SELECT id, secrets FROM sources ORDER BY id');
    const { code, problems } = await rotate({ SECRETS_KEY: 'ff'.repeat(32) });
    expect([code, problems[0]]).toEqual([1, expect.stringContaining('SECRETS_KEY')]);
    expect(await world.database.query('SELECT id, secrets FROM sources ORDER BY id')).toEqual(before);
  });
});
