import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child, type Ended } from '../../support/child-process.js';
import { runCommand } from '../../support/command-line.js';
import { deliveryStatus, feedbackReport, mail } from '../../support/raw-mail.js';

const bounceWith = (status: string) =>
  deliveryStatus(['Final-Recipient: rfc822; ada@example.com', 'Action: failed', status]);
const complaintOf = (type: string) =>
  feedbackReport([`Feedback-Type: ${type}`, 'Original-Rcpt-To: ada@example.com']);
const BOUNCE = bounceWith('Status: 5.1.1');
const REPORT = {
  recipient: 'ada@example.com',
  kind: 'bounce',
  verdict: 'suppress',
  status: '5.1.1',
  diagnostic: null,
  reason: 'the mailbox does not exist',
};

function read({ code, stdout, problems }: Ended) {
  const lines = stdout.split('\n').filter(Boolean);
  return { lines: lines.map((line) => JSON.parse(line)), problems, code };
}

const inspect = async (files: string[], input: Buffer = Buffer.alloc(0)) =>
  read(await runCommand(['mail', 'inspect', ...files], {}, tmpdir(), input));

describe('mail inspect', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mail-inspect-'));
    await writeFile(join(folder, 'bounce.eml'), BOUNCE);
    await writeFile(join(folder, 'hello.eml'), mail({ From: 'ada@example.com', Subject: 'Hello' }, 'Hello'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('prints one JSON line per file, without a database', async () => {
    const files = [join(folder, 'bounce.eml'), join(folder, 'hello.eml')];
    const process = Child.cli(['mail', 'inspect', ...files], {}, folder);
    expect(read(await process.ended)).toEqual({
      lines: [
        { file: files[0], reports: [REPORT] },
        { file: files[1], reports: [] },
      ],
      problems: [],
      code: 0,
    });
  });

  it.each([
    ['a hard bounce', BOUNCE, { kind: 'bounce', verdict: 'suppress' }],
    ['a soft bounce', bounceWith('Status: 5.2.2'), { kind: 'bounce', verdict: 'watch' }],
    ['a block', bounceWith('Status: 5.7.1'), { kind: 'bounce', verdict: 'watch' }],
    ['no failure', bounceWith('Status: 2.1.5'), { kind: 'bounce', verdict: 'ignore' }],
    ['a complaint', complaintOf('abuse'), { kind: 'complaint', verdict: 'suppress' }],
    ['other feedback', complaintOf('not-spam'), { kind: 'complaint', verdict: 'ignore' }],
  ])('prints the verdict on %s', async (_name, raw, expected) => {
    const [{ reports }] = (await inspect(['-'], raw)).lines;
    expect(reports).toMatchObject([expected]);
  });

  it('reads the standard input', async () => {
    expect((await inspect(['-'], BOUNCE)).lines).toEqual([{ file: '-', reports: [REPORT] }]);
  });

  it('reports a file that it cannot read, and prints the others', async () => {
    const { lines, problems, code } = await inspect([join(folder, 'none.eml'), join(folder, 'hello.eml')]);
    expect(lines).toEqual([{ file: join(folder, 'hello.eml'), reports: [] }]);
    expect(problems).toEqual([expect.stringMatching(/^Cannot read .*none\.eml: it does not exist$/)]);
    expect(code).toBe(1);
  });

  it('refuses to run without a file', async () => {
    expect((await inspect([])).code).toBe(2);
  });
});
