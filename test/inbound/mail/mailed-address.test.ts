import { readReports } from '../../../src/inbound/mail/read-reports.js';
import { deliveryStatus, feedbackReport, FROM_DAEMON, mail } from '../../support/raw-mail.js';

const FAILED = ['Action: failed', 'Status: 5.1.1'];
const TO_ADA = ['From: news@sender.example', 'To: ada@example.com'];

const received = (address: string) => `Received: from a by b with ESMTP id 1 for <${address}>; 1 May 2026`;

async function recipients(raw: Buffer): Promise<(string | null)[]> {
  return (await readReports(raw)).map(({ recipient }) => recipient);
}

const finalRecipient = (address: string, returned = TO_ADA) =>
  recipients(deliveryStatus([`Final-Recipient: rfc822; ${address}`, ...FAILED], returned));

describe("a recipient inside the receiver's network", () => {
  it.each([
    ['ada@store3.example.com'],
    ['ada@mbox.mail.example.com'],
    ['ada@mailhub'],
    ['ada@exchange.local'],
    ['ada@mail.corp'],
    ['ada@localhost.localdomain'],
    ['ada@node7.internal'],
    ['ada@[10.0.0.7]'],
    ['u1042@store3.example.com'],
    ['u1042@exchange.local'],
  ])('%s does not beat the address that was mailed', async (inner) => {
    expect(await finalRecipient(inner)).toEqual(['ada@example.com']);
    expect(await finalRecipient(inner, [received(inner), received('ada@example.com'), ...TO_ADA])).toEqual([
      'ada@example.com',
    ]);
    expect(
      await finalRecipient(inner, [received(inner), 'Received: from c by d; 1 May 2026', ...TO_ADA]),
    ).toEqual(['ada@example.com']);
    const original = [`Original-Recipient: rfc822; ${inner}`, `Final-Recipient: rfc822; ${inner}`, ...FAILED];
    expect(await recipients(deliveryStatus(original, TO_ADA))).toEqual(['ada@example.com']);
    const words = mail(
      FROM_DAEMON,
      `<${inner}>: 550 no such user`,
      '--- Original message follows.',
      ...TO_ADA,
    );
    expect(await recipients(words)).toEqual(['ada@example.com']);
  });

  it.each([
    ['ada@store3.example.com', ['To: ada@example.com, grace@example.org']],
    ['grace@exchange.local', ['To: grace@example.com, ada@example.org']],
    ['ada@b.mail.example.com', ['To: ada@a.mail.example.com']],
    ['ada@mx2.example.com', ['To: ada@mx1.example.com']],
    ['ada@example.com', ['To: ada@eu.example.com']],
  ])('%s is found among several by its name, or is in the same organization: %j', async (inner, returned) => {
    const [expected] = returned[0]!.slice(4).split(', ');
    expect(await finalRecipient(inner, returned)).toEqual([expected]);
  });

  it.each<[string, string, string[]]>([
    ['of another organization', 'ada@home.example', TO_ADA],
    ['below a public suffix', 'ada@client.co.uk', ['To: ada@other.co.uk']],
    ['that was mailed, too', 'ada@mx1.example.com', ['To: ada@example.com, ada@mx1.example.com']],
    ['that was mailed itself', 'ada@eu.example.com', [received('ada@eu.example.com'), ...TO_ADA]],
    [
      'of a mail to the sender',
      'ada@exchange.local',
      ['From: news@sender.example', 'To: news@sender.example'],
    ],
    [
      "of a mail to the sender's domain",
      'ada@exchange.local',
      ['From: a@sender.example', 'To: all@sender.example'],
    ],
    ['of a post to a list', 'ada@exchange.local', ['List-Id: <talk.example.com>', 'To: talk@example.com']],
    ['of several with other names', 'u1042@exchange.local', ['To: ada@example.com, grace@example.com']],
    ['of several with this name', 'ada@exchange.local', ['To: ada@example.com, ada@example.org']],
  ])('is not assumed for an address %s', async (_name, address, returned) => {
    expect(await finalRecipient(address, returned)).toEqual([address]);
  });
});

describe('a forwarded recipient', () => {
  it.each<[string, string[], string]>([
    [
      'both are traced',
      [received('ada@home.example'), received('ada@example.com'), ...TO_ADA],
      'ada@example.com',
    ],
    ['only the mailed one is traced', [received('ada@example.com'), ...TO_ADA], 'ada@example.com'],
    ['only the other one is traced', [received('ada@home.example'), ...TO_ADA], 'ada@home.example'],
    [
      "a list of the sender's domain was mailed",
      [
        received('ada@home.example'),
        received('all@sender.example'),
        'From: a@sender.example',
        'To: all@sender.example',
      ],
      'ada@home.example',
    ],
  ])('counts as it was mailed, where %s', async (_name, returned, expected) => {
    expect(await finalRecipient('ada@home.example', returned)).toEqual([expected]);
  });

  it('is not the original recipient because a later server repeats it', async () => {
    const fields = [
      'Original-Recipient: rfc822; ada@home.example',
      'Final-Recipient: rfc822; ada@home.example',
    ];
    const raw = deliveryStatus([...fields, ...FAILED], [received('ada@example.com'), ...TO_ADA]);
    expect(await recipients(raw)).toEqual(['ada@example.com']);
  });
});

describe('a redacted address', () => {
  it.each([
    ['***@example.com'],
    ['a*****a@example.com'],
    ['a…@example.com'],
    ['•••@example.com'],
    ['redacted@example.com'],
    ['[redacted]@example.com'],
    ['[redacted]lovelace@example.com'],
    ['ada[...]lovelace@example.com'],
    ['<hidden>lovelace@example.com'],
    ['(removed)a@example.com'],
    ['ada@exam***.com'],
    ['ada@example…'],
    ['ada@ex[...]ple.com'],
    ['ada@exam<redacted>'],
    ['ada@exam...com'],
    ['ada@example.c...'],
    ['ada@###'],
    ['ada@example#.com'],
  ])('is dropped, never shortened: %s', async (address) => {
    expect(
      await recipients(mail(FROM_DAEMON, `${address}: 550 no such user, could not be delivered`)),
    ).toEqual([]);
    expect(await recipients(mail({ ...FROM_DAEMON, 'X-Failed-Recipients': address }, 'failed'))).toEqual([]);
    expect(await finalRecipient(address, [])).toEqual([]);
    expect(
      await recipients(feedbackReport(['Feedback-Type: abuse', `Original-Rcpt-To: ${address}`])),
    ).toEqual([null]);
  });

  it('leaves the recipient to other fields', async () => {
    const returned = [received('ada@example.com'), ...TO_ADA];
    expect(await finalRecipient('***@example.com', returned)).toEqual(['ada@example.com']);
  });

  it.each([
    ["o'brien@example.com"],
    ["'ada@example.com'"],
    ['(ada@example.com)'],
    ['[ada@example.com]'],
    ['ada@example.com<mailto:ada@example.com>'],
    ['ada@example.com[192.0.2.1]'],
    ['ada@example.com(unknown)'],
    ['ada@example.com... unknown'],
    ['a.redactedx@example.com'],
  ])('is not seen in: %s', async (text) => {
    const address = text.includes('brien') || text.startsWith('a.') ? text : 'ada@example.com';
    expect(
      await recipients(mail(FROM_DAEMON, `could not be delivered to: ${text}: 550 no such user`)),
    ).toEqual([address]);
  });
});
