import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child, type Ended } from '../support/child-process.js';
import { basic } from '../support/deliveries.js';
import { post, postResend, readLedger, sparkpostBatch, type TestSource } from '../support/sources.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { createWorld, type World } from '../support/world.js';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:bounces';

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

  const cli = (line: string, settings: Record<string, string> = {}, input?: string): Promise<Ended> =>
    Child.cli(
      ['source', ...line.split(' ')],
      {
        DATABASE_URL: world.database.url,
        SECRETS_KEY: TEST_SECRETS_KEY,
        BASE_URL: 'https://list.example.com/',
        ...settings,
      },
      folder,
      input,
    ).ended;
  const output = async (line: string, input?: string): Promise<string> => {
    const { code, stdout, problems } = await cli(line, {}, input);
    expect({ line, code, problems }).toEqual({ line, code: 0, problems: [] });
    return stdout;
  };
  const pathOf = (url: string) => ({ path: new URL(url).pathname });

  it('makes a source whose URL works with the credentials that are printed once', async () => {
    const printed = await output('create --account acme --provider sparkpost --name bulk');
    const [, url] = /^url +(https:\/\/list\.example\.com\/inbound\/[\w-]{32})$/m.exec(printed)!;
    const [, username] = /^username +(\S+)$/m.exec(printed)!;
    const [, password] = /^password +(\S{32})$/m.exec(printed)!;
    expect(printed).toMatch(/never shown again/);
    expect(printed).toMatch(/^1\. SparkPost/m);
    const batch = sparkpostBatch([{ type: 'bounce', bounce_class: '10', raw_rcpt_to: 'cli@example.com' }]);
    const headers = basic(username!, password!) as Record<string, string>;
    expect((await post(world, pathOf(url!), batch, headers)).status).toBe(200);
    expect(await readLedger(world, 'cli@example.com')).toEqual(['added bounce by bulk']);
    const stored = await world.database.query('SELECT secrets::text FROM sources');
    expect(JSON.stringify(stored)).not.toContain(password);
  });

  it('takes a secret of the provider from the standard input', async () => {
    const signing_secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const json = await output(
      'create --account acme --provider resend --secret signing_secret=- --json',
      `${signing_secret}\n`,
    );
    const { url, secrets, setup } = JSON.parse(json);
    expect({ secrets, setup }).toEqual({ secrets: {}, setup: expect.any(Array) });
    const source = { ...pathOf(url), secrets: { signing_secret } } as unknown as TestSource;
    expect((await postResend(world, source, { type: 'email.opened', data: {} })).status).toBe(200);
  });

  it('shows what a source received and what went wrong, pauses it, resumes it and deletes it', async () => {
    const { id, url, secrets } = JSON.parse(
      await output('create --account globex --provider postmark --soft-limit 5/14d --json'),
    );
    const headers = basic(secrets.username, secrets.password) as Record<string, string>;
    const record = { RecordType: 'SpamComplaint', ID: 1, Email: 'ada@example.com' };
    await post(world, pathOf(url), record, headers);
    await post(world, pathOf(url), record, basic('a', 'b') as Record<string, string>);
    expect(JSON.parse(await output(`show ${id} --json`))).toMatchObject({
      id,
      url,
      provider: 'postmark',
      paused_at: null,
      last_event_at: expect.any(String),
      bad_signatures: 1,
      last_error: 'The delivery cannot be verified: its credential is wrong.',
      options: { softLimit: { failures: 5, days: 14 } },
      counts: [{ kind: 'complaint', outcome: 'added', events: 1, last_received_at: expect.any(String) }],
    });
    expect(await output(`show ${id}`)).toMatch(/^bad_signatures +1$[^]+^complaint +added +1 /m);
    expect(JSON.parse(await output(`pause ${id} --json`)).paused_at).toEqual(expect.any(String));
    expect((await post(world, pathOf(url), record, headers)).status).toBe(503);
    expect(JSON.parse(await output(`resume ${id} --json`)).paused_at).toBeNull();
    expect((await post(world, pathOf(url), record, headers)).status).toBe(200);
    expect(JSON.parse(await output('list --account globex --json'))).toMatchObject([
      { account: 'globex', id },
    ]);
    expect(await output(`delete ${id}`)).toBe(`Deleted ${id}.\n`);
    expect(await output('list --account globex')).toBe('There are none.\n');
    expect((await post(world, pathOf(url), record, headers)).status).toBe(404);
  });

  it('needs SECRETS_KEY for a source with secrets, and for no other', async () => {
    const refused = await cli('create --account acme --provider brevo', { SECRETS_KEY: '' });
    expect([refused.code, refused.problems[0]]).toEqual([
      2,
      expect.stringMatching(/^SECRETS_KEY is not set/),
    ]);
    const made = await cli(`create --account acme --provider ses --topic-arn ${TOPIC}`, { SECRETS_KEY: '' });
    expect(made.code).toBe(0);
  });

  it('refuses what it cannot do with an exit code that tells why, and one line', async () => {
    const refusals: [string, number, RegExp][] = [
      ['create --account nobody --provider brevo', 3, /^There is no account nobody\./],
      ['create --account acme --provider pigeon', 2, /^error: .*Allowed choices are resend, /],
      [
        'create --account acme --provider resend',
        2,
        /^Give the secret with --secret signing_secret=<value>\./,
      ],
      ['create --account acme --provider resend --secret signing_secret=short', 2, /whsec_/],
      [
        'create --account acme --provider brevo --secret key=x',
        2,
        /has no secret "key"\. It has: username, password\./,
      ],
      ['create --account acme --provider brevo --topic-arn x', 2, /does not take --topic-arn\.$/],
      ['create --account acme --provider ses', 2, /^Name the topics/],
      ['create --account acme --provider ses --topic-arn here', 2, /^The ARN of a topic is written/],
      ['create --account acme --provider brevo --soft-limit 5', 2, /5\/14d/],
      [`show ${UNKNOWN_ID}`, 3, /^There is no source 0{8}-/],
      ['pause here', 3, /^There is no source here\./],
      [`delete ${UNKNOWN_ID}`, 3, /^There is no source 0{8}-/],
    ];
    const ended = await Promise.all(refusals.map(([line]) => cli(line)));
    expect(ended).toEqual(
      refusals.map(([, code, problem]) => ({ code, stdout: '', problems: [expect.stringMatching(problem)] })),
    );
  });
});
