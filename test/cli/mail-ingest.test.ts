import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { Child, type Ended } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { OWN_UUID } from '../support/deliveries.js';
import { deliveryStatus, mail } from '../support/raw-mail.js';
import { createSource, postMail, readInbox, readLedger, type TestSource } from '../support/sources.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { createWorld, type World } from '../support/world.js';
import { OPERATOR } from '../support/operator.js';

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
