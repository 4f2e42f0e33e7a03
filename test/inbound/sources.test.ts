import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { SourceEventsRepository } from '../../src/inbound/sources/source-events.repository.js';
import type { NewSource } from '../../src/inbound/sources/new-source.js';
import type { ProviderName } from '../../src/inbound/providers/providers.js';
import { readOrCreateSecretsKey } from '../../src/secrets/secrets-key.js';
import { SourceSecrets } from '../../src/inbound/sources/source-secrets.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { createSource, postWithCredential } from '../support/sources.js';
import { startTestApp } from '../support/test-app.js';
import { TOPIC } from '../support/servers/sns.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';
import { OPERATOR } from '../support/operator.js';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

describe('a source', () => {
  let world: World;
  let sources: SourcesService;
  let changes: SourceChangesService;
  beforeAll(async () => {
    world = await createWorld();
    sources = world.app.get(SourcesService);
    changes = world.app.get(SourceChangesService);
  });
  afterAll(() => world.close());

  it('cannot be changed or deleted for another account', async () => {
    const { id, accountId } = await createSource(world, 'brevo');
    const before = await sources.get(id);
    const other = { id: accountId + 1_000 };
    const later = Infinity;
    for (const change of [
      () =>
        changes.setSecrets({ accountId: other.id, actor: OPERATOR, deadline: later }, id, {
          username: 'mallory',
        }),
      () => changes.pause({ accountId: other.id, actor: OPERATOR, deadline: later }, id),
      () => changes.resume({ accountId: other.id, actor: OPERATOR, deadline: later }, id),
      () =>
        world.app
          .get(SourceChangesService)
          .delete({ accountId: other.id, actor: OPERATOR, deadline: later }, id),
    ]) {
      await expect(change()).rejects.toThrow(`There is no source ${id}.`);
    }
    expect(await sources.get(id)).toEqual(before);
    expect(
      (await changes.pause({ accountId, actor: OPERATOR, deadline: later }, id)).pausedAt,
    ).not.toBeNull();
  });

  it('has a URL that cannot be guessed', async () => {
    const [one, other] = await Promise.all([createSource(world, 'brevo'), createSource(world, 'brevo')]);
    expect(sources.urlOf(one)).toMatch(/^http:\/\/127\.0\.0\.1:3000\/inbound\/[\w-]{32}$/);
    expect(one.urlId).not.toBe(other.urlId);
  });

  it.each<[string, ProviderName, Partial<NewSource>, RegExp]>([
    ['a secret that is none', 'resend', { secrets: { signing_secret: 'short' } }, /whsec_/],
    ['an empty secret', 'mailgun', { secrets: { signing_key: ' ' } }, /^The signing_key is empty\./],
    [
      'a signing key with white space in it',
      'mailgun',
      { secrets: { signing_key: 'key-0123 4567 89ab cdef' } },
      /^The signing_key must have at least 16 ASCII characters, and no spaces\./,
    ],
    [
      'a password that can be guessed',
      'postmark',
      { secrets: { username: 'u', password: 'fifteen-letters' } },
      /^The password must have at least 16 ASCII characters, and no spaces\./,
    ],
    [
      'a key of return paths that can be guessed',
      'mail',
      { secrets: { return_path_key: 'k'.repeat(15) } },
      /^The return_path_key must have at least 16 ASCII characters, and no spaces\./,
    ],
    ['a user name with a colon', 'brevo', { secrets: { username: 'a:b' } }, /^A user name must not contain/],
    [
      'a secret that the provider has not',
      'brevo',
      { secrets: { key: 'x' } },
      /It has: username, password\.$/,
    ],
    [
      'an option that the provider has not',
      'brevo',
      { options: { topicArns: [TOPIC] } },
      /take --topic-arn\.$/,
    ],
    ['no topic', 'ses', {}, /^Name the topics to accept with --topic-arn/],
    [
      'a topic that is none',
      'ses',
      { options: { topicArns: ['here'] } },
      /^--topic-arn must have the form arn:aws:sns:/,
    ],
    ['no name', 'brevo', { name: '' }, /^The name of a source must have/],
  ])('cannot be created with %s', async (_what, provider, newSource, problem) => {
    const refused = createSource(world, provider, { secrets: {}, ...newSource });
    await expect(refused).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(problem) });
  });

  it('accepts a password that a person chose, if it is long enough, with any user name', async () => {
    const secrets = { username: 'u', password: 'sixteen-letters!' };
    const source = await createSource(world, 'postmark', { secrets });
    expect(world.app.get(SourceSecrets).settingsOf(await sources.get(source.id)).secrets).toEqual(secrets);
    const later = changes.setSecrets({ actor: OPERATOR, deadline: Infinity }, source.id, {
      password: 'short',
    });
    await expect(later).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/at least 16 ASCII/),
    });
  });

  it('keeps secrets that are set at the same time', async () => {
    const { id } = await createSource(world, 'mail');
    const newSecrets = { username: 'somebody', password: 'p'.repeat(16), return_path_key: 'k'.repeat(16) };
    const each = Object.entries(newSecrets).map(([name, secret]) => ({ [name]: secret }));
    const row = await world.database.lockRow('sources', `id = '${id}'`);
    const updates = Promise.all(
      each.map((secret) => changes.setSecrets({ actor: OPERATOR, deadline: Infinity }, id, secret)),
    );
    await until(async () => {
      const waiting = await world.database.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length === each.length;
    });
    await row.release();
    await updates;
    expect(world.app.get(SourceSecrets).settingsOf(await sources.get(id)).secrets).toEqual(newSecrets);
  });

  it('has its events counted even if that takes longer than a request may', async () => {
    const source = await createSource(world, 'postmark');
    await postWithCredential(world, source, { RecordType: 'SpamComplaint', ID: 1, Email: 'ada@example.com' });
    const inbox = await world.database.lock('delivery_events');
    const counting = world.app.get(SourceEventsRepository).count(source);
    await until(async () => {
      const waiting = await world.database.query(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND query_start < clock_timestamp() - interval '4.5 seconds'`,
      );
      return waiting.length > 0;
    }).finally(() => inbox.release());
    await expect(counting).resolves.toMatchObject([{ kind: 'complaint', outcome: 'added', events: 1 }]);
  });

  it('is not found if it does not exist', async () => {
    const works = [UNKNOWN_ID, 'here'].flatMap((id): Promise<unknown>[] => [
      sources.get(id),
      changes.pause({ actor: OPERATOR, deadline: Infinity }, id),
      changes.resume({ actor: OPERATOR, deadline: Infinity }, id),
      world.app.get(SourceChangesService).delete({ actor: OPERATOR, deadline: Infinity }, id),
    ]);
    for (const { status, ...rest } of await Promise.allSettled(works)) {
      expect(status).toBe('rejected');
      expect(rest).toMatchObject({ reason: { exitCode: 3 } });
    }
  });

  it('with secrets asks for SECRETS_KEY, and without them does not', async () => {
    const keyless = await startTestApp(world.database.url, { SECRETS_KEY: '' });
    const there = { ...world, ...keyless, database: world.database };
    await expect(createSource(there, 'brevo')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^SECRETS_KEY is not set/),
    });
    await createSource(there, 'ses', { options: { topicArns: [TOPIC] } });
    await keyless.close();
  });
});

describe('the key of a data folder', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'suppression-list-key-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('is created once, even if ten processes ask at once, and only its owner can read it', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => readOrCreateSecretsKey(folder)));
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^[0-9a-f]{64}$/)]));
    expect(await readOrCreateSecretsKey(folder)).toBe(keys[0]);
    expect(await readdir(folder)).toEqual(['secrets-key']);
    expect((await stat(join(folder, 'secrets-key'))).mode & 0o777).toBe(0o600);
  });

  it.each(['', '\n', 'ab'.repeat(31), `${'ab'.repeat(32)}00`, 'zz'.repeat(32)])(
    'is refused when its file has %j, and the file is left as it is',
    async (text) => {
      const file = join(folder, 'secrets-key');
      await writeFile(file, text);
      await expect(readOrCreateSecretsKey(folder)).rejects.toMatchObject({
        exitCode: 1,
        message: expect.stringMatching(
          /^The key in \S+secrets-key is damaged: it must be 64 hex.*backup[^\n]*$/,
        ),
      });
      expect(await readFile(file, 'utf8')).toBe(text);
      expect(await readdir(folder)).toEqual(['secrets-key']);
    },
  );

  it('is refused in one line when its file cannot be read', async () => {
    await mkdir(join(folder, 'secrets-key'));
    await expect(readOrCreateSecretsKey(folder)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^The key in \S+secrets-key cannot be read \(EISDIR[^\n]*$/),
    });
  });
});
