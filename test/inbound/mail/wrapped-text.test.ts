import { readReports } from '../../../src/inbound/mail/read-reports.js';
import { unwrapLines } from '../../../src/inbound/mail/bounce-lines.js';
import { FROM_DAEMON, mail } from '../../support/raw-mail.js';

const INTRODUCTION = 'Your message could not be delivered.';

async function read(...lines: string[]): Promise<unknown[]> {
  const reports = await readReports(mail(FROM_DAEMON, INTRODUCTION, '', ...lines));
  return reports.map(({ recipient, effect }) => [recipient, effect]);
}

describe('a wrapped line that begins with an address names no recipient', () => {
  it.each<[string, string[]]>([
    [
      'Postfix, before the address of a sender',
      [
        '<ada@example.com>: host mx.example.com[192.0.2.1] said: 550 5.7.1 Sender address',
        '    <news@shop.example> rejected: user unknown (in reply to RCPT TO command)',
      ],
    ],
    [
      'Postfix, after a colon',
      [
        '<ada@example.com>: host mx.example.com[192.0.2.1] said:',
        '    joan@shop.example: relaying denied (in reply to RCPT TO command)',
      ],
    ],
    [
      'Exim',
      [
        '  ada@example.com',
        '    SMTP error from remote mail server: 550 the address',
        '    joan@shop.example is not allowed to send',
      ],
    ],
    [
      'qmail',
      [
        '<ada@example.com>:',
        'Remote host said: 550 mail of',
        'joan@shop.example is not allowed',
        'Giving up.',
      ],
    ],
    [
      'sendmail',
      ['<ada@example.com>', '    (reason: 553 5.7.1 the owner of', '    <joan@shop.example> does not relay)'],
    ],
    [
      'a gateway that wraps at 72 characters',
      [
        'Delivery to ada@example.com has failed, because the mail server refused',
        'joan@shop.example as an author of mail: policy violation.',
      ],
    ],
    [
      'Exchange, in brackets',
      [
        'ada@example.com on Fri, 1 May 2026 10:00',
        '    550 5.7.1 mail of',
        '    [joan@shop.example] is prohibited',
      ],
    ],
    [
      'a server that ends a sentence with the address',
      ['<ada@example.com>: 550 5.7.1 no permission to post as', '    joan@shop.example.'],
    ],
  ])('of %s', async (_name, lines) => {
    expect(await read(...lines)).toEqual([['ada@example.com', 'none']]);
  });

  it.each<[string, string[]]>([
    ['Postfix', ['<ada@example.com>: 550 no such user', '<joan@example.com>: 550 no such user']],
    ['Exim', ['  ada@example.com', '    550 no such user', '  joan@example.com', '    550 no such user']],
    ['a table', ['ada@example.com   550 no such user', 'joan@example.com  550 no such user']],
    [
      'an indented list',
      ['Failed recipients:', '  ada@example.com', '  joan@example.com', '550 no such user'],
    ],
    [
      'entries that wrap',
      [
        '<ada@example.com>: host mx.example.com[192.0.2.1] said: 550 5.1.1 unknown',
        '    user',
        '<joan@example.com>: host mx.example.com[192.0.2.1] said: 550 5.1.1 unknown',
        '    user',
      ],
    ],
    [
      'headings of qmail',
      ['<ada@example.com>:', '550 no such user', '', '<joan@example.com>:', '550 no such user'],
    ],
    [
      'a list below a wrapped introduction',
      [
        'The following recipients of your message could not be reached by the server',
        'ada@example.com: 550 no such user',
        'joan@example.com: 550 no such user',
      ],
    ],
    [
      'an expansion',
      [
        '<all@example.com>: 550 no such user, delivering to:',
        '    <ada@example.com>',
        '    <joan@example.com>',
      ],
    ],
  ])('but a new line of %s does', async (_name, lines) => {
    const recipients = (await read(...lines)).map((report) => (report as unknown[])[0]);
    expect(recipients).toEqual(expect.arrayContaining(['ada@example.com', 'joan@example.com']));
  });
});

describe('lines that wrap without end', () => {
  it.each([['    b@c'], ['    <joan@shop.example> x'], ['    b@c:']])(
    'are joined up to a length: %j',
    (line) => {
      const [first, ...rest] = unwrapLines(['<ada@example.com>: 550', ...Array<string>(100_000).fill(line)]);
      expect(first!.length).toBeLessThan(2_100);
      expect(rest.length).toBeLessThan(100_000);
    },
  );
});

describe('what precedes the first recipient never suppresses', () => {
  it.each<[string, string[]]>([
    [
      'a list of possible reasons',
      ['Possible reasons:', ' - the mailbox does not exist', '', '<ada@example.com>'],
    ],
    [
      'a list below a blank line',
      ['Possible causes are', '', '* user unknown', '* no such domain', '', '<ada@example.com>'],
    ],
    [
      'one reason of several',
      ['For one of the following reasons:', '550 User unknown', '', '<ada@example.com>: refused'],
    ],
    ['an explanation', ['This usually means that the address does not exist.', '', '<ada@example.com>']],
    [
      'an explanation on the lines above',
      ['The user is unknown, or', 'the account was closed.', '<ada@example.com>'],
    ],
    ['an explanation in one sentence', ['The recipient is unknown:', '', '    ada@example.com']],
    ['an advice', ['Mail to an unknown user is returned.', '', 'Failed recipient: ada@example.com']],
    [
      'a note of InterMail',
      ['due to the following reason:', '', 'The user(s) account is disabled.', '', '<ada@example.com>'],
    ],
  ])('%s', async (_name, lines) => {
    expect(await read(...lines)).toEqual([['ada@example.com', 'watch']]);
  });

  it.each<[string, string[], string]>([
    [
      'a reply of the server',
      ['Error message:', '550 5.1.1 User unknown', '', 'RCPT TO: ada@example.com'],
      'suppress',
    ],
    ['a block', ['The message was refused as spam.', '', '<ada@example.com>'], 'none'],
    ['a full mailbox', ['The mailbox is full.', '', '<ada@example.com>'], 'watch'],
    ['the reason of Domino', ['---- Failure Reasons ----', 'No such user', 'ada@example.com'], 'suppress'],
  ])('but %s counts', async (_name, lines, effect) => {
    expect(await read(...lines)).toEqual([['ada@example.com', effect]]);
  });

  it('nor does a list of possible reasons below it', async () => {
    const list = [
      'This can have several reasons:',
      '',
      '- The address does not exist.',
      '- The domain does not exist.',
    ];
    expect(await read('<ada@example.com>: refused', '', ...list)).toEqual([['ada@example.com', 'watch']]);
    expect(await read('<ada@example.com>: refused', '', ...list, '', '550 no such user')).toEqual([
      ['ada@example.com', 'suppress'],
    ]);
  });
});

describe("the sender's own address", () => {
  const SENDER = 'bounce@sender.example';
  const returned = (from: string, to: string) => [
    '--- Original message follows.',
    `From: ${from}`,
    `To: ${to}`,
  ];

  it.each<[string, string[]]>([
    ['named first', [`<${SENDER}>: 550 no such user`]],
    ['in the mail, too', ['550 no such user', ...returned(SENDER, SENDER)]],
    ['named, and in the mail', [`<${SENDER}>: 550 user unknown`, ...returned('news@sender.example', SENDER)]],
    [
      'the author of the mail',
      ['<news@sender.example>: 550 no such user', ...returned('news@sender.example', 'x')],
    ],
    ['expanded', ['| /bin/vacation', `(expanded from: <${SENDER}>)`, '550 no such user']],
    ['mentioned', [`550 unknown user, tell ${SENDER}`]],
    ['in a sentence', [`The mail to ${SENDER} failed: unknown user`]],
    ['wrapped', ['550 no such user named', `${SENDER}.`]],
  ])('is never a recipient: %s', async (_name, lines) => {
    expect(await read(...lines)).toEqual([]);
  });

  it('does not hide the recipient', async () => {
    const lines = [`<${SENDER}>: 550 no such user`, '<ada@example.com>: 550 no such user'];
    expect(await read(...lines)).toEqual([['ada@example.com', 'suppress']]);
  });
});

describe('words beside an address', () => {
  it.each([
    ['not found:ada@example.com'],
    ['ada@example.com:user not exist'],
    ['<ada@example.com>:no such user'],
    ['550 unknown user:<ada@example.com>'],
    ['<ada@example.com>...User unknown'],
    ['user unknown,ada@example.com'],
    ['550;ada@example.com;no such user'],
    ['recipient(ada@example.com)unknown'],
  ])('are read: %s', async (line) => {
    expect(await read(line)).toEqual([['ada@example.com', 'suppress']]);
  });
});
