import * as fc from 'fast-check';
import { readReports } from '../../../src/inbound/mail/read-reports.js';
import { readableHead } from '../../../src/inbound/mail/message-head.js';
import { cpuTimesOf } from '../../support/cpu-time.js';
import { deliveryStatus, feedbackReport, FROM_DAEMON, mail, report } from '../../support/raw-mail.js';

const MANY = 1_000_000;
const LONGEST_DIAGNOSTIC = 1_000;

/** Pieces of reports, to be joined at random. */
const PIECES = [
  'From: MAILER-DAEMON@x.example\r\n',
  'Return-Path: <>\r\n',
  'Subject: failure notice\r\n',
  '\r\n',
  '\r',
  '\n',
  'Content-Type: multipart/report; boundary=b\r\n',
  'Content-Type: message/delivery-status\r\n',
  '--b\r\n',
  '--b--',
  'Final-Recipient: rfc822; ',
  'Original-Recipient: ',
  'Action: failed\r\n',
  'Status: 5.1.1\r\n',
  'Diagnostic-Code: ',
  'Content-Type: message/feedback-report\r\n',
  'Feedback-Type: abuse\r\n',
  'Original-Rcpt-To: ',
  'X-Failed-Recipients: ',
  '<ada@example.com>',
  '"a b"@x.example',
  '@',
  'SMTP=a@b.example;',
  '+2B',
  '\\x{110000}',
  '550 5.1.1 User unknown',
  '>>> RCPT TO:',
  '----- Transcript of session follows -----\r\n',
  '--- Below this line is a copy of the message.\r\n',
  '=?utf-8?Q?=',
  '\u0000',
];

const nested = (count: number, part: (index: number) => string) =>
  Buffer.from(Array.from({ length: count }, (_, index) => part(index)).join(''));

const failed = (n: number) => [
  `Final-Recipient: rfc822; u${n}@example.com`,
  'Action: failed',
  'Status: 5.0.0',
  '',
];

/** Base64 hides the number of lines. */
function foldedStatus(line: string): Buffer {
  const status = `Final-Recipient: rfc822; a@b.example\nDiagnostic-Code: ${'a '.repeat(1_990)}\n${line.repeat(50_000)}`;
  const type = 'message/delivery-status\r\nContent-Transfer-Encoding: base64';
  return report('delivery-status', [{ type, lines: [Buffer.from(status).toString('base64')] }]);
}

async function expectSoundReports(raw: Uint8Array): Promise<void> {
  const reports = await readReports(raw);
  for (const { recipient, diagnostic, reason, status } of reports) {
    expect(recipient ?? 'a@b').toContain('@');
    expect(diagnostic?.length ?? 0).toBeLessThanOrEqual(LONGEST_DIAGNOSTIC);
    expect(diagnostic ?? '').not.toMatch(/[\r\n]/);
    expect(status ?? '5.0.0').toMatch(/^[245]\.\d{1,3}\.\d{1,3}$/);
    expect(reason).not.toBe('');
  }
}

describe('a hostile message', () => {
  it.each<[string, Buffer]>([
    ['a million line feeds', Buffer.alloc(MANY, '\n')],
    ['a million carriage returns', Buffer.alloc(MANY, '\r')],
    ['a header without end', Buffer.from(`Subject: ${'x'.repeat(MANY)}`)],
    ['header fields without end', Buffer.from('a: b\r\n'.repeat(MANY))],
    ['a folded field without end', Buffer.from(`To: x${'\r\n x'.repeat(MANY)}`)],
    [
      'addresses without end',
      mail({ ...FROM_DAEMON, To: 'a@b.example, '.repeat(MANY / 10) }, 'undeliverable'),
    ],
    [
      'parts without end',
      mail({ ...FROM_DAEMON, 'Content-Type': 'multipart/mixed; boundary=b' }, '--b\r\n\r\n'.repeat(MANY)),
    ],
    [
      'nested multiparts',
      nested(5_000, (n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`),
    ],
    ['nested messages', nested(5_000, () => 'Content-Type: message/rfc822\r\n\r\n')],
    ['at signs', mail(FROM_DAEMON, 'could not be delivered', '@'.repeat(MANY))],
    ['white space', mail(FROM_DAEMON, 'could not be delivered', `${' '.repeat(900)}\r\n`.repeat(2_000))],
    ['tags that never close', mail({ ...FROM_DAEMON, 'Content-Type': 'text/html' }, '<a<'.repeat(MANY))],
    [
      'words that almost match',
      mail(FROM_DAEMON, '<a@b.example>: 550 ', 'user mailbox address '.repeat(MANY / 10)),
    ],
    [
      'an unknown charset',
      mail({ ...FROM_DAEMON, 'Content-Type': 'text/plain; charset=x-none' }, 'undeliverable'),
    ],
    [
      'a wrong charset',
      mail({ ...FROM_DAEMON, 'Content-Type': 'text/plain; charset=utf-16' }, 'undeliverable'),
    ],
    ['a wrong encoding', mail({ ...FROM_DAEMON, 'Content-Transfer-Encoding': 'base64' }, '=?%&/()')],
    ['JSON bombs', mail({ 'X-Amz-Sns-Message-Id': '1' }, '{"bounce":'.repeat(MANY / 10))],
  ])('of %s is read', async (_name, raw) => {
    await expectSoundReports(raw);
  });

  it('is read only up to the limits', () => {
    for (const line of ['\n', '\r', 'a\r\n', 'abcdefghi'.repeat(50), '--b\r\n']) {
      const { bytes: head } = readableHead(Buffer.from(line.repeat(MANY)));
      expect(head.length).toBeLessThanOrEqual(256 * 1024);
      expect(Buffer.from(head).toString().split('\n').length).toBeLessThanOrEqual(4_001);
    }
    const parts = Buffer.from(readableHead(Buffer.from('--b\r\n'.repeat(MANY))).bytes)
      .toString()
      .match(/^--/gm);
    expect(parts?.length).toBeLessThanOrEqual(102);
  });

  it.each<[string, string]>([
    ['one long field', `To: ${':'.repeat(256_000)}\r\n`],
    ['one folded field', `To\r\n ${':'.repeat(256_000)}\r\n`],
  ])('with groups of addresses in %s does not take much longer than others', async (_name, fields) => {
    const read = (header: string) => readReports(Buffer.from(`From: MAILER-DAEMON@x.example\r\n${header}`));
    const others = fields.replaceAll('To', 'XX');
    const { long, short } = await cpuTimesOf(
      () => read(fields),
      () => read(others),
      20,
    );
    expect(long).toBeLessThan(short * 20);
  });

  it.each<[string, (repeated: string) => Buffer, string, string]>([
    [
      'rules',
      (line) => mail(FROM_DAEMON, '<a@b.example>: 550 unknown', line),
      `${'-'.repeat(999)}x\r\n`.repeat(20),
      'x',
    ],
    ['a folded field', foldedStatus, ' a\n', '\n'],
    [
      'comments',
      (text) => feedbackReport(Array(40).fill(`Removal-Recipient: ${text}`)),
      '('.repeat(3_900),
      'x',
    ],
  ])('with %s does not take much longer than others', async (_name, messageWith, hostile, harmless) => {
    const { long, short } = await cpuTimesOf(
      () => readReports(messageWith(hostile)),
      () => readReports(messageWith(harmless)),
      20,
    );
    expect(long).toBeLessThan(short * 20);
  });

  it.each<[string, Buffer]>([
    [
      'in a delivery status',
      deliveryStatus(
        Array.from({ length: 5_000 }, (_, n) => [`Final-Recipient: r;${n}@b`, 'Status: 5', '']).flat(),
      ),
    ],
    [
      'in X-Failed-Recipients',
      mail(
        { ...FROM_DAEMON, 'X-Failed-Recipients': Array.from({ length: 9_000 }, (_, n) => `${n}@b`).join() },
        'could not be delivered',
      ),
    ],
    [
      'in words',
      mail(
        { ...FROM_DAEMON, Subject: 'failure notice' },
        ...Array.from({ length: 1_400 }, (_, n) => `<${n}@b>: 550 no`),
      ),
    ],
  ])('that names thousands of recipients %s reports only on the first thousand', async (_name, raw) => {
    const reports = await readReports(raw);
    expect(reports.map(({ recipient }) => recipient)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => `${n}@b`),
    );
  });

  it('about many recipients does not block the event loop', async () => {
    const raw = deliveryStatus(Array.from({ length: MANY / 100 }, (_, n) => failed(n)).flat());
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const reports = await readReports(raw);
    clearInterval(timer);
    expect(reports.length).toBeGreaterThan(500);
    expect(turns).toBeGreaterThan(1);
  });
});

describe('fuzzed messages', () => {
  it('of any bytes are read', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), expectSoundReports));
  });

  it('joined from pieces of bounces are read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }), (pieces) =>
        expectSoundReports(Buffer.from(pieces.join(''))),
      ),
      { numRuns: 500 },
    );
  });
});
