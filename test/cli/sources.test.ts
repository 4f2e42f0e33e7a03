import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { SourceSecrets } from '../../src/inbound/sources/source-secrets.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { Child, type Ended } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { basic, OWN_UUID } from '../support/deliveries.js';
import { OPERATOR } from '../support/operator.js';
import { deliveryStatus, mail } from '../support/raw-mail.js';
import {
  createSource,
  post,
  postMail,
  postResend,
  postWithCredential,
  readInbox,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { untilErased } from '../support/erasures.js';
import { startTestApp, TEST_SECRETS_KEY } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

describe('the command source', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-cli-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const cli = (line: string, input?: string, stdout?: Writable): Promise<Ended> => {
    const settings = {
      DATABASE_URL: world.database.url,
      SECRETS_KEY: TEST_SECRETS_KEY,
      BASE_URL: 'https://internal.example.com',
      PUBLIC_URL: 'https://list.example.com/',
    };
    return runCommand(['source', ...line.split(' ')], settings, folder, input, stdout && { output: stdout });
  };
  const output = async (line: string, input?: string): Promise<string> => {
    const { code, stdout, problems } = await cli(line, input);
    expect({ line, code, problems }).toEqual({ line, code: 0, problems: [] });
    return stdout;
  };
  const pathOf = (url: string) => ({ path: new URL(url).pathname });

  it('creates a source whose URL works with the credentials that are printed once', async () => {
    const printed = await output('create --account acme --provider sparkpost --name bulk');
    const [, url] = /^URL:\n(https:\/\/list\.example\.com\/inbound\/[\w-]{32})$/m.exec(printed)!;
    const [, username] = /^username +(\S+)$/m.exec(printed)!;
    const [, password] = /^password +(\S{32})$/m.exec(printed)!;
    expect(printed).toMatch(/never shown again/);
    expect(printed).toMatch(/^1\. In SparkPost/m);
    const batch = sparkpostBatch([{ type: 'bounce', bounce_class: '10', raw_rcpt_to: 'cli@example.com' }]);
    const headers = basic(username!, password!) as Record<string, string>;
    expect((await post(world, pathOf(url!), batch, headers)).status).toBe(200);
    expect(await readLedger(world, 'cli@example.com')).toEqual(['added bounce by bulk']);
    const stored = await world.database.query('SELECT secrets::text FROM sources');
    expect(JSON.stringify(stored)).not.toContain(password);
  });

  it('reads a secret of the provider from standard input, and refuses every delivery until then', async () => {
    const json = await output('create --account acme --provider resend --json');
    const { id, url, secrets, setup } = JSON.parse(json);
    expect(secrets).toEqual({});
    expect(setup.at(-1)).toMatch(
      new RegExp(
        `^Enter this secret .*: the signing secret on .*\\nnode .* source secret ${id} signing_secret=-$`,
      ),
    );
    const signing_secret = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
    const source = { ...pathOf(url), secrets: { signing_secret } } as unknown as TestSource;
    const opened = { type: 'email.opened', data: {} };
    expect((await postResend(world, source, opened)).status).toBe(401);
    expect(await output(`secret ${id} signing_secret=-`, `${signing_secret}\n`)).toContain(id);
    expect((await postResend(world, source, opened)).status).toBe(200);
  });

  it('creates no source, and prints none, if its topics cannot be mapped or it cannot be printed', async () => {
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', default_subscription: 'opt_in' })
      .expect(201);
    await world.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'refused'; END
      $$;
      CREATE TRIGGER refuse BEFORE INSERT ON source_topics FOR EACH ROW
      WHEN (NEW.unit_name = 'refused') EXECUTE FUNCTION refuse()`);
    const sources = () => world.database.query('SELECT id FROM sources ORDER BY id');
    const before = await sources();
    const create = 'create --account acme --provider sparkpost --topic news=list:10';
    expect(await cli(`${create} --topic news=list:refused`)).toMatchObject({ code: 1, stdout: '' });
    const full = createWriteStream('/dev/full').on('error', () => undefined);
    expect(await cli(create, '', full)).toMatchObject({
      code: 1,
      problems: [expect.stringMatching(/ENOSPC/)],
    });
    expect(await sources()).toEqual(before);
    const { id } = JSON.parse(await output(`${create} --json`));
    expect(await sources()).toEqual([...before, { id }]);
    expect(await output(`show ${id}`)).toMatch(/news/);
  });

  it('shows what a source received and what went wrong', async () => {
    const softLimit = { failures: 5, days: 14 };
    const source = await createSource(world, 'postmark', { account: 'globex', options: { softLimit } });
    const record = { RecordType: 'SpamComplaint', ID: 1, Email: 'ada@example.com' };
    await postWithCredential(world, source, record);
    await post(world, source, record, basic('a', 'b') as Record<string, string>);
    const [json, text, list] = await Promise.all([
      output(`show ${source.id} --json`),
      output(`show ${source.id}`),
      output('list --account globex --json'),
    ]);
    expect(JSON.parse(json)).toMatchObject({
      id: source.id,
      url: `https://list.example.com${source.path}`,
      provider: 'postmark',
      paused_at: null,
      last_event_at: expect.any(String),
      bad_signatures: 1,
      last_error: 'The delivery cannot be verified: its credential is wrong.',
      options: { softLimit },
      counts: [{ kind: 'complaint', outcome: 'added', events: 1, last_received_at: expect.any(String) }],
    });
    expect(text).toMatch(/^bad_signatures +1$[^]+^complaint +added +1 /m);
    expect(JSON.parse(list)).toMatchObject([{ account: 'globex', id: source.id }]);
  });

  it('shows the addresses that a person removed and the provider still has on its list', async () => {
    const source = await createSource(world, 'brevo');
    const email = 'stubborn@example.com';
    const report = async (event: string) => {
      const fields = { email, 'message-id': '<1@x>', ts_epoch: Date.now(), reason: event };
      expect((await postWithCredential(world, source, { event, ...fields })).status).toBe(200);
    };
    await report('invalid_email');
    await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
    expect(JSON.parse(await output(`show ${source.id} --json`)).still_listed).toEqual([]);
    await report('blocked');
    const reason = expect.stringMatching(/^Still on Brevo's blocklist: remove it there \(Contacts > /);
    expect(JSON.parse(await output(`show ${source.id} --json`)).still_listed).toEqual([
      { email, last_received_at: expect.any(String), reason },
    ]);
    expect(await output(`show ${source.id}`)).toMatch(
      /^Removed here, but not at the provider:\nemail +last_received_at/m,
    );
    await report('delivered');
    expect(JSON.parse(await output(`show ${source.id} --json`)).still_listed).toEqual([]);
  });

  it('may have joiners in its name, and a soft limit as long as the inbox keeps events', async () => {
    await output(
      'create --account acme --provider brevo --name \u{1F469}\u200D\u{1F4BB} --soft-limit 5/2160h',
    );
    expect(await output('list --account acme')).toContain('\u{1F469}\u200D\u{1F4BB}');
  });

  it('pauses a source, resumes it and deletes it', async () => {
    const { id } = await createSource(world, 'brevo');
    expect(JSON.parse(await output(`pause ${id} --json`)).paused_at).toEqual(expect.any(String));
    expect(JSON.parse(await output(`resume ${id} --json`)).paused_at).toBeNull();
    expect(await output(`delete ${id}`)).toBe(`Deleted ${id}.\n`);
    expect((await cli(`show ${id}`)).code).toBe(3);
  });

  it('stops between two steps of a deletion when it gets a signal', async () => {
    const { id } = await createSource(world, 'brevo');
    const lock = await world.database.lock('delivery_events');
    const child = Child.cli(['source', 'delete', id], { DATABASE_URL: world.database.url }, folder);
    // Background tasks wait for the lock, too.
    const waiting = `
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'source_id = .2 LIMIT 10000'`;
    await until(async () => (await world.database.query(waiting)).length > 0);
    child.kill('SIGINT');
    await until(() => child.stderr.includes('The source may be paused'));
    await lock.release();
    expect(await child.ended).toEqual({
      code: 130,
      stdout: '',
      problems: [expect.stringMatching(/^The source may be paused, .* or run "source resume /)],
    });
    expect(await output(`delete ${id}`)).toBe(`Deleted ${id}.\n`);
  });

  it('reports a failure by an exit code and one line', async () => {
    const refusals: [string, number, RegExp][] = [
      ['create --account acme --provider pigeon', 2, /^error: .*Allowed choices are resend, /],
      ['create --account acme --provider brevo --soft-limit 5', 2, /5\/14d/],
      ['create --account acme --provider brevo --soft-limit 5/12h', 2, / 7d, 168h\./],
      ['create --account acme --provider brevo --soft-limit 5/91d', 2, /^The inbox keeps events for 90 days/],
      ['create --account acme --provider ses', 2, /^Name the topics/],
    ];
    const ended = await Promise.all(refusals.map(([line]) => cli(line)));
    expect(ended).toEqual(
      refusals.map(([, code, problem]) => ({ code, stdout: '', problems: [expect.stringMatching(problem)] })),
    );
  });
});

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
    const erasure = { keep_block: true, reference: 'Case 1' };
    await world.as(world.alice).post('/suppressions').send({ email: 'ada@example.com' }).expect(201);
    await untilErased(world, async () =>
      world.as(world.alice).post('/contacts/ada@example.com/erase').send(erasure),
    );
    const both = { SECRETS_KEY: NEW_KEY, SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY };
    expect(await secretsWith(first.id, both)).toEqual(first.secrets);

    const done = expect.stringMatching(/^Encrypted the secrets of 2 sources, .* and 1 erasure keys\./);
    expect(await rotate(both)).toEqual({ code: 0, stdout: done, problems: [] });
    expect(await secretsWith(first.id, { SECRETS_KEY: NEW_KEY })).toEqual(first.secrets);
    expect(await secretsWith(second.id, { SECRETS_KEY: NEW_KEY })).toEqual(second.secrets);

    const nothing = 'All secrets are already encrypted with SECRETS_KEY.\n';
    expect(await rotate({ SECRETS_KEY: NEW_KEY })).toEqual({ code: 0, stdout: nothing, problems: [] });
  });

  it('is refused, and changes nothing, if neither key is the old one', async () => {
    const before = await world.database.query('SELECT id, secrets FROM sources ORDER BY id');
    const { code, problems } = await rotate({ SECRETS_KEY: 'ff'.repeat(32) });
    expect([code, problems[0]]).toEqual([1, expect.stringContaining('SECRETS_KEY')]);
    expect(await world.database.query('SELECT id, secrets FROM sources ORDER BY id')).toEqual(before);
  });
});

const NO_REPORT = 'The message is neither a bounce nor a feedback report. Nothing was changed.';

const gone = (email: string, To = 'bounce@example.com') =>
  deliveryStatus([`Final-Recipient: rfc822; ${email}`, 'Action: failed', 'Status: 5.1.1'], [], { To });

describe('raw mail on the command line', () => {
  let world: World;
  let source: TestSource;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'mail-ingest-'));
    await writeFile(join(folder, 'hello.eml'), mail({ From: 'ada@example.com', Subject: 'Hello' }, 'Hello'));
  });
  beforeEach(async () => (source = await createSource(world, 'mail', { name: 'mx' })));
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const settings = () => ({ DATABASE_URL: world.database.url, SECRETS_KEY: TEST_SECRETS_KEY });
  const cli = (args: string[], input?: string): Promise<Ended> => runCommand(args, settings(), folder, input);
  const ingest = (files: string[], input?: string): Promise<Ended> =>
    cli(['mail', 'ingest', '--source', source.id, ...files], input);
  const lines = ({ stdout }: Ended) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const verp = async (...more: string[]) => {
    const { stdout, problems } = await cli([
      'source',
      'verp',
      source.id,
      OWN_UUID,
      '--domain',
      'b.example',
      ...more,
    ]);
    expect(problems).toEqual([]);
    return stdout.trim();
  };

  it('applies what messages report, once, and prints the outcome', async () => {
    const bounce = gone('ada@example.com', await verp());
    await writeFile(join(folder, 'bounce.eml'), bounce);
    const ended = await ingest(['bounce.eml', 'hello.eml']);
    const event = {
      recipient: 'ada@example.com',
      kind: 'bounce',
      effect: 'suppress',
      outcome: 'added',
      repeated: false,
      suppression_id: expect.any(String),
      source_id: OWN_UUID,
      status: '5.1.1',
      diagnostic: null,
      reason: 'The mailbox does not exist.',
    };
    expect([ended.code, ended.problems, lines(ended)]).toEqual([
      0,
      [],
      [
        { file: 'bounce.eml', events: [event] },
        { file: 'hello.eml', events: [], note: NO_REPORT },
      ],
    ]);
    expect(await readLedger(world, 'ada@example.com')).toEqual(['added bounce by mx']);
    const again = await ingest(['-'], bounce.toString());
    expect(lines(again)).toMatchObject([{ file: '-', events: [{ outcome: 'added', repeated: true }] }]);
    expect(await readInbox(world, source)).toHaveLength(1);
  });

  it('is handled as over HTTP: a message that was received there has no effect here', async () => {
    const To = await verp('--recipient', 'Http@example.com');
    const message = gone('http@example.com', To);
    expect((await postMail(world, source, message)).status).toBe(200);
    const [{ events }] = lines(await ingest(['-'], message.toString()));
    expect(events).toMatchObject([{ outcome: 'added', repeated: true }]);
  });

  it('stores what is unproven, and "source show" counts it', async () => {
    const [{ events }] = lines(await ingest(['-'], gone('forged@example.com').toString()));
    expect(events).toMatchObject([
      { effect: 'none', outcome: 'nothing', reason: expect.stringMatching(/^Unproven/) },
    ]);
    expect(JSON.parse((await cli(['source', 'show', source.id, '--json'])).stdout)).toMatchObject({
      unproven: 1,
      counts: [{ kind: 'bounce', outcome: 'nothing', events: 1 }],
    });
  });

  it('names the file that it cannot read, and ingests the others', async () => {
    await writeFile(join(folder, 'large.eml'), '');
    await truncate(join(folder, 'large.eml'), 25 * 1024 * 1024 + 1);
    await writeFile(join(folder, 'empty.eml'), '');
    const files = ['none.eml', 'large.eml', 'empty.eml', '.', 'hello.eml'];
    const args = ['mail', 'ingest', '--source', source.id, ...files];
    const ended = await Child.cli(args, settings(), folder).ended;
    expect(lines(ended)).toEqual([{ file: 'hello.eml', events: [], note: NO_REPORT }]);
    expect(ended.problems).toEqual([
      'Cannot read none.eml: it does not exist',
      'Cannot read large.eml: The message is larger than 25 MiB.',
      'Cannot read empty.eml: The body is malformed: it must be a message.',
      'Cannot read .: it is a folder',
    ]);
    expect(ended.code).toBe(1);
  });

  it('reports a failure by an exit code and one line', async () => {
    const postmark = await createSource(world, 'postmark');
    await world.app.get(SourceChangesService).pause({ actor: OPERATOR, deadline: Infinity }, source.id);
    const create = ['source', 'create', '--account', 'acme', '--provider'];
    const verpOf = (id: string, uuid: string) => ['source', 'verp', id, uuid, '--domain', 'b.example'];
    const refusals: [string[], number, RegExp][] = [
      [['mail', 'ingest', 'hello.eml'], 2, /--source/],
      [['mail', 'ingest', '--source', source.id], 2, /file/],
      [['mail', 'ingest', '--source', source.id, 'hello.eml'], 1, /is paused/],
      [['mail', 'ingest', '--source', postmark.id, 'hello.eml'], 2, /takes no mail/],
      [['mail', 'ingest', '--source', OWN_UUID, 'hello.eml'], 3, /There is no source/],
      [verpOf(source.id, 'x'), 2, /Use a UUID/],
      [verpOf(postmark.id, OWN_UUID), 2, /Only sources of the provider "mail" sign return paths/],
      [[...create, 'mail', '--message-id-domain', 'com'], 2, /the domain of Message-IDs/],
      [[...create, 'mail', '--unproven', 'perhaps'], 2, /allow or refuse/],
      [[...create, 'postmark', '--unproven', 'allow'], 2, /does not take --unproven/],
    ];
    const ended = await Promise.all(refusals.map(([args]) => cli(args)));
    expect(ended).toEqual(
      refusals.map(([, code, problem]) => ({ code, stdout: '', problems: [expect.stringMatching(problem)] })),
    );
  });

  it('creates a source that believes what its options allow', async () => {
    const args = '--account acme --provider mail --message-id-domain a.example --unproven allow --json';
    const { stdout } = await cli(['source', 'create', ...args.split(' ')]);
    const { id, secrets } = JSON.parse(stdout);
    expect(Object.keys(secrets)).toEqual(['username', 'password', 'return_path_key']);
    expect(await world.app.get(SourcesService).get(id)).toMatchObject({
      options: { messageIdDomains: ['a.example'], unproven: 'allow' },
    });
  });
});
