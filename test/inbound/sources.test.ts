import { createHmac, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { RetentionSweep } from '../../src/inbound/inbox/retention-sweep.js';
import { emailIdOf } from '../../src/inbound/parsing/report.js';
import { signReturnPath } from '../../src/inbound/providers/mail.js';
import type { ProviderName } from '../../src/inbound/providers/providers.js';
import type { NewSource } from '../../src/inbound/sources/new-source.js';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { SourceEventsRepository } from '../../src/inbound/sources/source-events.repository.js';
import { SourceSecrets } from '../../src/inbound/sources/source-secrets.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { readOrCreateSecretsKey } from '../../src/secrets/secrets-key.js';
import { lowestIdAt } from '../../src/validation/parsers.js';
import { basic, OWN_UUID } from '../support/deliveries.js';
import { OPERATOR } from '../support/operator.js';
import {
  deliveryStatus,
  failedRecipient,
  feedbackReport,
  FROM_DAEMON,
  gone,
  mail,
  OUR_HEADER,
  report,
} from '../support/raw-mail.js';
import { createCertificate } from '../support/servers/certificate.js';
import {
  CERTIFICATE_URL,
  confirmation,
  envelope,
  type Fields,
  signed,
  TOPIC,
} from '../support/servers/sns.js';
import {
  createSource,
  type Headers,
  post,
  postMail,
  postWithCredential,
  readInbox,
  readLedger,
  readList,
  sparkpostBatch,
  takeMail,
  type TestSource,
} from '../support/sources.js';
import { startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

let world: World;
beforeAll(async () => (world = await createWorld({ INBOX_RETENTION_DAYS: '30' })));
afterAll(() => world.close());

describe('a source', () => {
  let sources: SourcesService;
  let changes: SourceChangesService;
  beforeAll(async () => {
    sources = world.app.get(SourcesService);
    changes = world.app.get(SourceChangesService);
  });

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
          /^The key in \S+secrets-key is damaged: it must be 64 hex.*Without a backup, .*: docs\/alerts\.md says how\.$/,
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

describe('a source that is deleted', () => {
  let source: TestSource;
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));

  const bounce = (email: string) =>
    postWithCredential(
      world,
      source,
      sparkpostBatch([{ type: 'bounce', bounce_class: '10', raw_rcpt_to: email }]),
    );
  const waiting = async () => {
    const [row] = await world.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.count;
  };

  /** Does something while a transaction that deletes a source is open; it is committed when that waits for it. */
  const whileDeleted = async <T>(id: string, work: () => PromiseLike<T>): Promise<T> => {
    const client = new Client(world.database.url);
    await client.connect();
    await client.query('BEGIN');
    await client.query('DELETE FROM sources WHERE id = $1', [id]);
    const done = Promise.resolve(work());
    await until(async () => (await waiting()) === 1);
    await client.query('COMMIT');
    await client.end();
    return done;
  };

  it('during a delivery is not found, and the delivery does nothing', async () => {
    const { status, body } = await whileDeleted(source.id, () => bounce('midst@example.com'));
    expect([status, body.code]).toEqual([404, 'source_not_found']);
    expect(await readLedger(world, 'midst@example.com')).toEqual([]);
  });

  it('during a request that reports events makes the caller retry, and creates the source again', async () => {
    const postEvent = () =>
      world.as(world.alice).post('/events').send({ type: 'complaint', email: 'own@example.com' });
    await postEvent().expect(200);
    const [own] = await world.database.query<{ id: string }>(
      `SELECT id FROM sources WHERE provider = 'event'`,
    );
    const { status, body } = await whileDeleted(own!.id, postEvent);
    expect([status, body.code]).toEqual([503, 'service_unavailable']);
    await postEvent().expect(200);
    expect(await readInbox(world, own!)).toEqual(['own@example.com complaint suppress: nothing']);
  });

  it('accepts nothing more while it is emptied, so that emptying it ends', async () => {
    expect((await bounce('before@example.com')).status).toBe(200);
    const row = await world.database.lockRow('delivery_events', `source_id = '${source.id}'`);
    const deletion = world.app
      .get(SourceChangesService)
      .delete({ actor: OPERATOR, deadline: Infinity }, source.id);
    await until(async () => (await waiting()) === 1);
    expect((await bounce('meanwhile@example.com')).body.code).toBe('source_paused');
    await row.release();
    await deletion;
    expect((await bounce('after@example.com')).status).toBe(404);
    expect(await readLedger(world, 'before@example.com')).toEqual(['added bounce by sparkpost']);
  });
});

const DAY_MS = 86_400_000;

describe('the inbox', () => {
  let source: TestSource;
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));

  const KINDS = {
    delivered: { type: 'delivery' },
    unknown: { type: 'telepathy' },
    soft: { type: 'bounce', bounce_class: '22' },
    hard: { type: 'bounce', bounce_class: '10' },
    complaint: { type: 'spam_complaint', fbtype: 'abuse' },
  };
  const deliver = async (...recipients: string[]) => {
    const batch = sparkpostBatch(
      recipients.map((raw_rcpt_to) => ({
        ...KINDS[raw_rcpt_to.split('-')[0] as keyof typeof KINDS],
        raw_rcpt_to,
      })),
    );
    expect((await postWithCredential(world, source, batch)).status).toBe(200);
  };
  /** As if the events of a source until now had been told so many days earlier. */
  const age = async (days: number, { id } = source) => {
    const tail = lowestIdAt(Date.now() - days * DAY_MS).slice(0, 13);
    await world.database.query(
      `UPDATE delivery_events SET id = ($2 || substr(id::text, 14))::uuid WHERE source_id = $1`,
      [id, tail],
    );
  };
  const storedNames = async ({ id } = source) => {
    const rows = await world.database.query<{ recipient: string }>(
      'SELECT recipient FROM delivery_events WHERE source_id = $1 ORDER BY recipient',
      [id],
    );
    return rows.map(({ recipient }) => recipient.split('@')[0]);
  };

  const sweep = () => world.app.get(RetentionSweep).run();

  it('deletes old events that did nothing to the list, and keeps those that later decisions depend on', async () => {
    await deliver(...Object.keys(KINDS).map((kind) => `${kind}-${randomUUID()}@example.com`));
    await age(31);
    await sweep();
    expect((await storedNames()).map((name) => name!.split('-')[0])).toEqual(['complaint', 'hard']);
  });

  it('waits if the clock of the database is ahead of that of the instance', async () => {
    await deliver('delivered-ahead@example.com');
    await age(31);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 2 * 86_400_000);
    await sweep();
    clock.mockRestore();
    expect(await storedNames()).toEqual(['delivered-ahead']);
    await sweep();
    expect(await storedNames()).toEqual([]);
  });

  it('keeps the soft failure that reached the limit', async () => {
    source = await createSource(world, 'sparkpost', { options: { softLimit: { failures: 2, days: 7 } } });
    const email = `soft-${randomUUID()}@example.com`;
    const outcomes = async () => (await readInbox(world, source)).filter((line) => line.startsWith(email));
    await deliver(email);
    await deliver(email);
    await deliver(email);
    expect((await outcomes()).toSorted()).toEqual(
      ['added', 'counted', 'counted'].map((outcome) => `${email} bounce watch: ${outcome}`),
    );
    await age(31);
    await sweep();
    expect(await outcomes()).toEqual([`${email} bounce watch: added`]);
  });

  it('deletes no newer event', async () => {
    await deliver('delivered-young@example.com');
    await age(29);
    await deliver('delivered-new@example.com');
    await sweep();
    expect(await storedNames()).toEqual(['delivered-new', 'delivered-young']);
  });

  it('keeps the events of an account as long as its retention says, and those of others as long as the service does', async () => {
    const retain = (inbox_retention: string | null) =>
      world.as(world.charlie).patch('/account').send({ inbox_retention }).expect(200);
    const theirs = await createSource(world, 'sparkpost', { account: 'globex' });
    const mine = source;
    for (const one of [theirs, mine]) {
      source = one;
      await deliver('delivered-8@example.com');
      await age(8, one);
      await deliver('delivered-new@example.com');
    }
    await retain('7d');
    await sweep();
    expect(await storedNames(theirs)).toEqual(['delivered-new']);
    expect(await storedNames(mine)).toEqual(['delivered-8', 'delivered-new']);
    await retain('60d');
    await age(31, theirs);
    await sweep();
    expect(await storedNames(theirs)).toEqual(['delivered-new']);
    await retain(null);
    await sweep();
    expect(await storedNames(theirs)).toEqual([]);
  });

  it('is not kept for less time than a soft limit covers', async () => {
    const softLimit = (days: number) => ({
      options: { softLimit: { failures: 2, days } },
      account: 'globex',
    });
    await createSource(world, 'sparkpost', softLimit(20));
    const change = (inbox_retention: string) =>
      world.as(world.charlie).patch('/account').send({ inbox_retention });
    const { body } = await change('19d').expect(400);
    expect(body.message).toBe(
      'inbox_retention must be at least 20d, which the soft limit of the source sparkpost covers.',
    );
    await change('20d').expect(200);
    await expect(createSource(world, 'sparkpost', softLimit(21))).rejects.toThrow(
      'The inbox keeps events for 20 days',
    );
  });

  const postEvents = (events: object[]) => world.as(world.alice).post('/events').send(events);
  const softOwn = (email: string) => ({
    type: 'bounce',
    email,
    status: '4.2.2',
    occurred_at: '2026-10-01T10:00:00Z',
  });

  it('stores nothing if a repeated event is being deleted by another request', async () => {
    const [met, held] = [softOwn('soft-met@example.com'), 'held@example.com'];
    await postEvents([met]).expect(200);
    await suppress(world, world.alice, [held]);
    const record = await world.database.lockRow('suppressions', `email = '${held}'`);
    const answer = postEvents([met, { type: 'complaint', email: held }]).then((response) => response);
    await until(async () => {
      const waiting = await world.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length === 1;
    });
    await world.database.query('DELETE FROM delivery_events WHERE recipient = $1', [met.email]);
    await record.release();
    const { status, body, headers } = await answer;
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'service_unavailable', '1']);
    expect(await readLedger(world, held)).toEqual(['added manual by alice']);
  });

  it('deletes more events than one statement, in accounts without new events, too', async () => {
    await deliver('delivered-1@example.com');
    await world.database.query(
      `INSERT INTO delivery_events (account_id, source_id, received_at, kind, effect, outcome, key, recipient, reason)
      SELECT account_id, source_id, received_at, kind, effect, outcome, key || n, recipient, reason
      FROM delivery_events, generate_series(1, 2500) AS n
      WHERE source_id = $1`,
      [source.id],
    );
    await world.database.query(
      `UPDATE delivery_events SET id = (left($2, 14) || substr(id::text, 15))::uuid WHERE source_id = $1`,
      [source.id, lowestIdAt(Date.now() - 31 * DAY_MS)],
    );
    await sweep();
    expect(await storedNames()).toEqual([]);
  });
});

const CONFIRMATION_URL =
  'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription' +
  '&TopicArn=arn%3Aaws%3Asns%3Aus-east-1%3A123456789012%3Abounces&Token=a+token%26more';

const certificate = createCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));

describe('Amazon SNS', () => {
  let source: TestSource;
  let requests: { url: string; redirect: string | undefined }[];
  let confirms: () => Response;
  const realFetch = globalThis.fetch;
  beforeEach(async () => {
    source = await createSource(world, 'ses', { options: { topicArns: [TOPIC] } });
    requests = [];
    confirms = () => new Response('<ConfirmSubscriptionResponse/>');
    globalThis.fetch = async (url, init) => {
      requests.push({ url: String(url), redirect: init?.redirect });
      return String(url) === CERTIFICATE_URL ? new Response(certificate.pem) : confirms();
    };
  });
  afterEach(() => (globalThis.fetch = realFetch));

  const send = (fields: Fields, sendTo = source) =>
    post(world, sendTo, signed({ ...fields, Timestamp: new Date().toISOString() }, certificate.privateKey), {
      'Content-Type': 'text/plain; charset=UTF-8',
    });
  const confirmed = () => requests.filter(({ url }) => url !== CERTIFICATE_URL);

  it('gets its subscription confirmed, at the URL that the service builds from its own topic', async () => {
    expect((await send(confirmation())).status).toBe(200);
    expect(confirmed()).toEqual([{ url: CONFIRMATION_URL, redirect: 'error' }]);
    expect(await readInbox(world, source)).toEqual(['null unknown none: nothing']);
  });

  it('is asked to retry if the subscription cannot be confirmed', async () => {
    confirms = () => new Response('', { status: 500 });
    expect((await send(confirmation())).status).toBe(503);
    confirms = () => {
      throw new TypeError('fetch failed');
    };
    expect((await send(confirmation())).status).toBe(503);
    expect(await readInbox(world, source)).toEqual([]);
  });

  it('gets no other topic confirmed, and none with the wrong signature', async () => {
    expect((await send(confirmation({ TopicArn: `${TOPIC}-of-others` }))).status).toBe(401);
    const forged = signed(confirmation(), createCertificate(new Date(0), new Date()).privateKey);
    expect((await post(world, source, { ...forged, Timestamp: new Date().toISOString() })).status).toBe(401);
    expect(confirmed()).toEqual([]);
    const { badSignatures } = await world.app.get(SourcesService).get(source.id);
    expect(badSignatures).toBe('2');
  });

  it('may send plain text', async () => {
    expect(
      (await send(envelope('Successfully validated SNS topic for Amazon SES event publishing.'))).status,
    ).toBe(200);
  });

  it('suppresses the recipients that bounced, and no other recipient of the email', async () => {
    const bounce = {
      notificationType: 'Bounce',
      mail: {
        messageId: '000001378603177f-7a5433e7-8edb-42ae-af10-f0181f34d6ee-000000',
        destination: ['fine@sns.example', 'gone@sns.example', 'gone-too@sns.example', 'late@sns.example'],
      },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        timestamp: new Date().toISOString(),
        bouncedRecipients: [
          {
            emailAddress: 'gone@sns.example',
            action: 'failed',
            status: '5.1.1',
            diagnosticCode: 'smtp; 550 5.1.1 no',
          },
          { emailAddress: 'late@sns.example', action: 'delayed', status: '4.0.0' },
          { emailAddress: 'gone-too@sns.example', action: 'failed', status: '5.1.1' },
        ],
      },
    };
    const message = envelope(bounce, { MessageId: '33b80b92-fdea-4c2c-8f9d-bdfb0c7bf324' });
    expect((await send(message)).status).toBe(200);
    expect((await send(message)).status).toBe(200);
    const listed = (await readList(world)).map(({ email }) => email);
    expect(listed.filter((email) => email.endsWith('@sns.example'))).toEqual([
      'gone-too@sns.example',
      'gone@sns.example',
    ]);
    expect(await readInbox(world, source)).toHaveLength(3);
  });
});

describe('raw mail to a source', () => {
  let source: TestSource;
  beforeEach(async () => {
    source = await createSource(world, 'mail', { options: { messageIdDomains: ['example.com'] } });
  });

  const take = (message: Buffer, headers: Headers = {}) => takeMail(world, source, message, headers);
  const returnPath = (recipient?: string, key = source.secrets.return_path_key!) =>
    `${signReturnPath(key, OWN_UUID, recipient as EmailAddress)}@bounces.example.org`;
  const reasons = async () => {
    const sql = 'SELECT reason FROM delivery_events WHERE source_id = $1 ORDER BY id';
    return (await world.database.query<{ reason: string }>(sql, [source.id])).map(({ reason }) => reason);
  };

  it.each<[string, () => string]>([
    ['another key', () => returnPath(undefined, 'guess')],
    ['another id', () => returnPath().replace('0198a5f2', '0198a5f3')],
    ['a shorter signature', () => returnPath().replace(/.@/, '@')],
    ['another signature', () => returnPath().replace(/.{24}@/, `${'0'.repeat(24)}@`)],
    ['no signature', () => returnPath().replace(/\..{24}@/, '@')],
    ['a hundred signatures', () => Array.from({ length: 100 }, () => returnPath(undefined, 'x')).join(', ')],
  ])('that comes to a return path with %s does nothing', async (_what, make) => {
    expect(await take(gone('forged@example.net', { To: make() }))).toEqual([
      'forged@example.net bounce none: nothing',
    ]);
    expect(await reasons()).toEqual([expect.stringMatching(/^Unproven, .*: the mailbox does not exist\.$/)]);
    expect(await readLedger(world, 'forged@example.net')).toEqual([]);
  });

  it('is stored with its date, the Message-ID, and an email id derived from it', async () => {
    const header = { Date: 'Fri, 20 Nov 2026 10:00:00 +0200 (EET)' };
    await take(gone('dated@example.net', header, OUR_HEADER));
    await take(gone('undated@example.net', { Date: 'yesterday' }, ['Message-ID: <43@news.example.com>']));
    const sql = `SELECT occurred_at, raw_message_id, email_id FROM delivery_events
      WHERE source_id = $1 ORDER BY recipient`;
    expect(await world.database.query(sql, [source.id])).toEqual([
      {
        occurred_at: new Date('2026-11-20T08:00:00Z'),
        raw_message_id: '42@news.example.com',
        email_id: emailIdOf({ provider: 'mail', idKind: 'message-id', id: '42@news.example.com' }),
      },
      { occurred_at: null, raw_message_id: '43@news.example.com', email_id: expect.any(String) },
    ]);
  });

  it('that arrives again, in another form or at the same time, has no further effect', async () => {
    const header = { 'Message-ID': '<report-1@mx.example.net>' };
    const message = gone('twice@example.net', header, OUR_HEADER);
    const withTrace = Buffer.concat([Buffer.from('Received: from a by b; 1 May 2026\r\n'), message]);
    const answers = await Promise.all(
      [message, withTrace, message].map((one) => postMail(world, source, one)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await world.as(world.alice).delete('/suppressions/twice@example.net').expect(200);
    expect(await take(message)).toHaveLength(1);
    expect(await readLedger(world, 'twice@example.net')).toEqual([
      'added bounce by mail',
      'removed bounce by alice',
    ]);
  });

  it('without a Message-ID is recognized by its content, whatever its line endings', async () => {
    const message = gone('same@example.net', {}, OUR_HEADER);
    await take(message);
    expect(await take(Buffer.from(message.toString().replaceAll('\r\n', '\n')))).toHaveLength(1);
    expect(await take(Buffer.concat([message, Buffer.from('another\r\n')]))).toHaveLength(2);
  });

  it('reports each recipient separately', async () => {
    const lines = [
      ...failedRecipient('one@example.net'),
      ...failedRecipient('two@example.net', '5.2.2'),
      ...failedRecipient('three@example.net'),
      ...failedRecipient('no address'),
      'Final-Recipient: rfc822; fine@example.net',
      'Action: delivered',
    ];
    expect((await take(deliveryStatus(lines, OUR_HEADER))).toSorted()).toEqual([
      'one@example.net bounce suppress: added',
      'three@example.net bounce suppress: added',
      'two@example.net bounce watch: counted',
    ]);
  });

  it('reports complaints by the return path that they name', async () => {
    const lines = (type: string, ...more: string[]) => feedbackReport([`Feedback-Type: ${type}`, ...more]);
    const to = 'Original-Rcpt-To: <angry@example.net>';
    const from = `Original-Mail-From: <${returnPath()}>`;
    expect(await take(lines('abuse', to))).toEqual(['angry@example.net complaint none: nothing']);
    expect(await take(lines('abuse', to, from))).toContain('angry@example.net complaint suppress: added');
    expect(await take(lines('not-spam', to, from))).toContain('angry@example.net unknown none: nothing');
  });

  it('that conceals the recipient is stored and has no effect', async () => {
    expect(await take(feedbackReport(['Feedback-Type: abuse'], OUR_HEADER))).toEqual([
      'null complaint none: nothing',
    ]);
    expect(await reasons()).toEqual(['It names no recipient.']);
  });

  /** The field that the account's mail to this recipient has. */
  const unsubscribeField = async (apiKey: string, email: string) => {
    const links = { emails: [email], source_id: OWN_UUID };
    const { body } = await world.as(apiKey).post('/unsubscribe-links').send(links).expect(200);
    return `List-Unsubscribe: ${body.data[0].headers['List-Unsubscribe']}`;
  };

  const FOREIGN = 'List-Unsubscribe: <https://email.example.org/u/eJwFwQEKgCAM>';
  it.each<[string, string[], (field: string) => string[]]>([
    ['conceals the recipient', [], (field) => [field]],
    ['has a hash as the recipient', ['Original-Rcpt-To: <9f86d081884c@example.net>'], (field) => [field]],
    ['names the address of a forwarding', ['Original-Rcpt-To: <other@example.org>'], (field) => [field]],
    ['also returns a field of a relay', [], (field) => [FOREIGN, field]],
    ['also returns a URL of a relay', [], (field) => [field.replace(' <', `${FOREIGN.slice(16)}, <`)]],
    ['returns a folded URL', [], (field) => [field.slice(0, 90), ` ${field.slice(90)}`]],
  ])('that %s names the recipient by the unsubscribe link in the mail', async (_what, lines, fields) => {
    const email = `hidden-${randomUUID()}@example.net`;
    const returned = fields(await unsubscribeField(world.alice, email));
    expect(await take(feedbackReport(['Feedback-Type: abuse', ...lines], returned))).toEqual([
      `${email} complaint suppress: added`,
    ]);
    const row = (await readList(world)).find((record) => record.email === email);
    expect(row).toMatchObject({ cause: 'complaint', email_id: OWN_UUID });
  });

  it.each<[string, () => Promise<string>]>([
    ['of another account', () => unsubscribeField(world.charlie, 'hidden@example.net')],
    [
      'that was changed',
      async () => (await unsubscribeField(world.alice, 'a@b.example')).replace(/.{9}>/, '>'),
    ],
    ['of somebody else', () => Promise.resolve('List-Unsubscribe: <https://news.example.org/u/42>')],
  ])('learns nothing from an unsubscribe link %s', async (_whose, makeField) => {
    expect(await take(feedbackReport(['Feedback-Type: abuse'], [await makeField()]))).toEqual([
      'null complaint none: nothing',
    ]);
  });

  it('that returns an unsubscribe link is proven about its recipient', async () => {
    const field = await unsubscribeField(world.alice, 'linked@example.net');
    const failed = [...failedRecipient('linked@example.net'), ...failedRecipient('victim@example.net')];
    expect((await take(deliveryStatus(failed, [field]))).toSorted()).toEqual([
      'linked@example.net bounce suppress: added',
      'victim@example.net bounce none: nothing',
    ]);
  });

  it.each<[string, Buffer]>([
    [
      'an auto-reply',
      mail({ From: 'ada@example.com', 'Auto-Submitted': 'auto-replied', Subject: 'Away' }, 'Later'),
    ],
    ['an ordinary mail', mail({ From: 'ada@example.com', Subject: 'Hello' }, '550 5.1.1 no such user')],
    [
      'a delay',
      deliveryStatus(
        ['Final-Recipient: rfc822; a@b.example', 'Action: delayed', 'Status: 4.4.1'],
        OUR_HEADER,
      ),
    ],
    ['binary', Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 256))],
    ['JSON', Buffer.from('[{"event":"bounce","email":"ada@example.com"}]')],
  ])('that is %s leaves nothing', async (_what, message) => {
    expect(await take(message)).toEqual([]);
  });

  it('to a signed return path suppresses, with the email id in it', async () => {
    const message = gone('ada@example.net', { To: returnPath().toUpperCase() });
    expect(await take(message)).toEqual(['ada@example.net bounce suppress: added']);
    const row = (await readList(world)).find(({ email }) => email === 'ada@example.net');
    expect(row).toMatchObject({ cause: 'bounce', email_id: OWN_UUID });
    expect(await readLedger(world, 'ada@example.net')).toEqual(['added bounce by mail']);
  });

  it('is signed as documented', () => {
    const digits = OWN_UUID.replaceAll('-', '');
    const hmac = (text: string) => createHmac('sha256', 'key').update(text).digest('hex').slice(0, 24);
    expect(signReturnPath('key', OWN_UUID)).toBe(`bounce+${digits}.${hmac(digits)}`);
    const bound = signReturnPath('key', OWN_UUID, 'ada@example.com' as EmailAddress);
    expect(bound).toBe(`bounce+${digits}.${hmac(`${digits} ada@example.com`)}`);
    expect(bound).toHaveLength(64);
  });

  it('to a return path for one recipient proves nothing about another', async () => {
    const To = returnPath('eve@example.net');
    const message = deliveryStatus(
      [...failedRecipient('eve@example.net'), ...failedRecipient('victim@example.net')],
      [],
      {
        To,
      },
    );
    expect((await take(message)).toSorted()).toEqual([
      'eve@example.net bounce suppress: added',
      'victim@example.net bounce none: nothing',
    ]);
  });

  it.each([
    ['example.com', 'added'],
    ['NEWS.Example.COM', 'added'],
    ['badexample.com', 'nothing'],
    ['example.com.evil.example', 'nothing'],
    ['com', 'nothing'],
  ])('that returns a Message-ID at %s: %s', async (domain, outcome) => {
    const email = `${randomUUID()}@example.net`;
    const [event] = await take(gone(email, {}, [`Message-ID: <a@b@${domain}>`]));
    expect(event).toMatch(new RegExp(`: ${outcome}$`));
  });

  it('without a proof is believed if the source is configured so', async () => {
    source = await createSource(world, 'mail', { options: { unproven: 'allow' } });
    expect(await take(gone('trusted@example.net'))).toEqual(['trusted@example.net bounce suppress: added']);
  });

  it('without a proof does not count as a soft failure', async () => {
    source = await createSource(world, 'mail', { options: { softLimit: { failures: 1, days: 1 } } });
    const full = deliveryStatus(failedRecipient('full@example.net', '4.2.2'));
    expect(await take(full)).toEqual(['full@example.net bounce none: nothing']);
  });

  it('that is forged does not block the genuine report', async () => {
    const header = { 'Message-ID': '<report-2@mx.example.net>' };
    await take(gone('late@example.net', header));
    expect((await take(gone('late@example.net', header, OUR_HEADER))).toSorted()).toEqual([
      'late@example.net bounce none: nothing',
      'late@example.net bounce suppress: added',
    ]);
  });
});

const MIB = 1024 * 1024;

describe('raw mail to a source', () => {
  let source: TestSource;
  beforeEach(async () => {
    source = await createSource(world, 'mail', { options: { messageIdDomains: ['example.com'] } });
  });

  const take = (message: Buffer, headers: Headers = {}) => takeMail(world, source, message, headers);

  it('with endless nesting gets a response', async () => {
    const nested = Array.from(
      { length: 5_000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}`,
    );
    await take(mail(FROM_DAEMON, ...nested));
    const inner = { type: 'message/rfc822', lines: gone('inner@example.net').toString().split('\r\n') };
    await take(report('delivery-status', [{ type: 'text/plain', lines: ['x'] }, inner]));
    expect(await readLedger(world, 'inner@example.net')).toEqual([]);
  });

  it.each(['text/plain; charset=latin1', 'application/octet-stream', 'application/json', 'multipart/report'])(
    'is read although it says %s',
    async (type) => {
      const { username, password } = source.secrets;
      const credential = basic(username!, password!) as Headers;
      const headers = { ...credential, 'Content-Type': type };
      const { status } = await post(world, source, gone('typed@example.net').toString(), headers);
      expect(status).toBe(200);
      expect(await readInbox(world, source)).toHaveLength(1);
    },
  );

  it('that is empty is malformed', async () => {
    const { status, body } = await postMail(world, source, Buffer.alloc(0));
    expect([status, body.code]).toEqual([400, 'malformed_body']);
  });

  it('with a wrong credential or none is refused and only counted', async () => {
    const message = gone('nobody@example.net', {}, OUR_HEADER);
    const large = Buffer.concat([message, Buffer.alloc(2 * MIB, 'x\r\n')]);
    const wrong = basic(source.secrets.username!, 'guess') as Headers;
    const answers = [
      await post(world, source, message.toString()),
      await postMail(world, source, message, wrong),
      await postMail(world, source, large, wrong),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await readInbox(world, source)).toEqual([]);
    expect(await world.app.get(SourcesService).get(source.id)).toMatchObject({ badSignatures: '3' });
  });

  describe('of a size', () => {
    const padded = (octets: number) => {
      const message = gone('large@example.net', {}, OUR_HEADER);
      return Buffer.concat([message, Buffer.alloc(octets - message.length, 'x\r\n')]);
    };

    it('of 25 MiB is accepted, and a larger one is refused', async () => {
      expect(await take(padded(25 * MIB))).toEqual(['large@example.net bounce suppress: added']);
      const { status, body } = await postMail(world, source, padded(25 * MIB + 1));
      expect([status, body]).toEqual([
        413,
        expect.objectContaining({
          code: 'message_too_large',
          message: 'The message is larger than 25 MiB.',
        }),
      ]);
    });

    it('that is not declared is accepted, and refused as soon as it is too large', async () => {
      const { username, password } = source.secrets;
      const send = (message: Buffer) =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = { ...basic(username!, password!), 'Transfer-Encoding': 'chunked' };
          const url = new URL(source.path, world.url);
          const sent = httpRequest(url, { method: 'POST', headers }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          });
          sent.on('error', reject);
          sent.end(message);
        });
      expect(await send(padded(2 * MIB))).toBe(200);
      expect(await send(padded(26 * MIB))).toBe(413);
    });

    it('larger than 2 MiB is refused by a source of another provider and by an unknown source', async () => {
      const postmark = await createSource(world, 'postmark');
      const { status, body } = await postMail(world, postmark, padded(3 * MIB));
      expect([status, body.message]).toEqual([413, expect.stringMatching(/larger than 2 MiB/)]);
      const nowhere = { ...source, path: `/inbound/${'A'.repeat(32)}` };
      expect((await postMail(world, nowhere, padded(2 * MIB))).status).toBe(404);
    });
  });
});
