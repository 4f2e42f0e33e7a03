import { readReports } from '../../../src/inbound/mail/read-reports.js';
import { FROM_DAEMON, mail } from '../../support/raw-mail.js';

async function read(raw: Buffer): Promise<unknown[]> {
  return (await readReports(raw)).map(({ recipient, bounceType, status }) => [recipient, bounceType, status]);
}

const bounce = (...lines: string[]) => mail(FROM_DAEMON, ...lines);

describe('a bounce in the words of', () => {
  it('qmail', async () => {
    const raw = bounce(
      'Hi. This is the qmail-send program at mx.example.net.',
      "I'm afraid I wasn't able to deliver your message to the following addresses.",
      '',
      '<ada@example.com>:',
      '192.0.2.1 does not like recipient.',
      'Remote host said: 550 5.1.1 User unknown',
      '',
      '<grace@example.com>:',
      'The mailbox is full. (#5.2.2)',
      '',
      '--- Below this line is a copy of the message.',
      '',
      'To: joan@example.com',
    );
    expect(await read(raw)).toEqual([
      ['ada@example.com', 'hard', '5.1.1'],
      ['grace@example.com', 'soft', '5.2.2'],
    ]);
  });

  it('Exim', async () => {
    const raw = mail(
      { ...FROM_DAEMON, 'X-Failed-Recipients': 'ada@example.com', 'Auto-Submitted': 'auto-replied' },
      'A message that you sent could not be delivered to one or more of its recipients.',
      '',
      '  ada@example.com',
      '    SMTP error from remote mail server after RCPT TO:<ada@example.com>:',
      '    host mx.example.com [192.0.2.1]: 550 No such person',
      '',
      '------ This is a copy of the message, including all the headers. ------',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.0.0']]);
  });

  it('sendmail, whose transcript names the recipient last', async () => {
    const raw = bounce(
      '   ----- Transcript of session follows -----',
      'While talking to mx.example.com:',
      '>>> DATA',
      '<<< 550 message refused as spam',
      '554 <ada@example.com>... Remote protocol error',
      '550 <grace@example.com>... User unknown',
      '   ----- Unsent message follows -----',
      'To: joan@example.com',
    );
    expect(await read(raw)).toEqual([
      ['ada@example.com', 'blocked', '5.0.0'],
      ['grace@example.com', 'hard', '5.0.0'],
    ]);
  });

  it('Exchange', async () => {
    const raw = mail(
      {
        ...FROM_DAEMON,
        From: 'System Administrator <postmaster@example.net>',
        Subject: 'Undeliverable: Hello',
      },
      'Your message',
      '',
      '  To:      talk@lists.example',
      '  Subject: Hello',
      '',
      'did not reach the following recipient(s):',
      '',
      'ada@example.com on Fri, 1 May 2026 10:00:00 +0000',
      '    The recipient name is not recognized',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', null]]);
  });

  it('Domino, which gives the reason first', async () => {
    const raw = bounce(
      '------- Failure Reasons  --------',
      '',
      'User not listed in public Name & Address Book',
      'ada@example.com',
      '',
      '------- Returned Message --------',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', null]]);
  });

  it('MDaemon, which quotes the recipient', async () => {
    const raw = bounce(
      'The following addresses did NOT receive a copy of your message:',
      '',
      '> ada@example.com',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'soft', null]]);
  });

  it('a mail server that writes HTML', async () => {
    const raw = mail(
      { ...FROM_DAEMON, 'Content-Type': 'text/html' },
      '<p>Your message could not be delivered.<br>&lt;ada@example.com&gt;: 550 no such user</p>',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.0.0']]);
  });

  it('a mail server that names nobody but returns the message', async () => {
    const raw = bounce(
      'Your message could not be delivered: no such user.',
      '--- Original message follows.',
      'To: ada@x.example',
    );
    expect(await read(raw)).toEqual([['ada@x.example', 'hard', null]]);
  });

  it('a mail server that writes the fields of a delivery status into its text', async () => {
    const raw = bounce(
      'Undeliverable.',
      '',
      'Action: failed',
      'Final-Recipient: rfc822; ada@example.com',
      'Status: 5.1.1',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.1.1']]);
  });

  it('IMail, from its postmaster', async () => {
    const raw = mail(
      { From: '"Postmaster" <postmaster@example.net>', Subject: 'Undeliverable Mail' },
      'Invalid final delivery userid: ada@example.com',
      '',
      'Original message follows.',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', null]]);
  });

  it('a postmaster with a quoted name', async () => {
    const raw = mail(
      { From: '<"System Administrator"@example.net>', Subject: 'Delivery Failure' },
      'Failed Recipient: ada@example.com',
      'Reason: Remote host said: 550 unknown user',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.0.0']]);
  });

  it('a mail server that writes "From: <>"', async () => {
    const raw = mail(
      { From: '<>', Subject: 'failure notice' },
      'Your message could not be delivered.',
      'ada@example.com: 550 No such user',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.0.0']]);
  });

  it('a postmaster, in the fields of a delivery status', async () => {
    const raw = mail(
      { From: 'postmaster@example.net', Subject: 'Delivery problem' },
      'Final-Recipient: rfc822; ada@example.com',
      'Action: failed',
      'Status: 5.1.1',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.1.1']]);
  });

  it('a mail server whose From is not an address', async () => {
    const raw = mail(
      { From: 'example.net', Subject: 'Undelivered Mail Returned to Sender' },
      'An error occurred while trying to deliver the mail to the following recipients:',
      'ada@example.com',
      '',
      'Action: failed',
      'Final-Recipient: rfc822; ada@example.com',
      'Status: 5.1.1',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.1.1']]);
  });

  it('a no-reply address that returns the message', async () => {
    const raw = mail(
      { From: 'no-reply@example.net', Subject: 'Error', 'Content-Type': 'multipart/mixed; boundary=b' },
      '--b',
      '',
      'Could not be delivered to: <ada@example.com>',
      'As their mailbox is full.',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'To: ada@example.com',
      '--b--',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'soft', null]]);
  });

  it('a mail server that mentions only the recipient', async () => {
    const raw = bounce(
      "I wasn't able to deliver the following message.",
      'To: ada@example.com',
      '550 No such user',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.0.0']]);
  });

  it('a mail server with blank lines before the header', async () => {
    const raw = bounce('<ada@example.com>: 550 5.1.1 User unknown');
    expect(await read(Buffer.concat([Buffer.from('\r\n \r\n'), raw]))).toEqual([
      ['ada@example.com', 'hard', '5.1.1'],
    ]);
  });

  it('a mail server that omits the semicolon before the charset', async () => {
    const raw = mail(
      { ...FROM_DAEMON, 'Content-Type': 'text/plain  charset=us-ascii' },
      '<ada@example.com>: 550 5.1.1 User unknown',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.1.1']]);
  });

  it('a mail server with an encoded subject', async () => {
    const Subject = `=?utf-8?B?${Buffer.from('Undelivered Mail').toString('base64')}?=`;
    const raw = mail({ From: 'postmaster@example.net', Subject }, 'ada@example.com: 550 Not here');
    expect(await read(raw)).toEqual([['ada@example.com', 'soft', '5.0.0']]);
  });

  it('a mail server whose MIME boundary got lost', async () => {
    const raw = mail(
      { ...FROM_DAEMON, 'Content-Type': 'multipart/report; boundary=lost' },
      '--found',
      '',
      '<ada@example.com>: 550 5.1.1 User unknown',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.1.1']]);
  });
});

describe('in the words of a bounce', () => {
  it('the sender is not the recipient, even if no other address is mentioned', async () => {
    const raw = bounce(
      'Your message',
      '  To: bounce@sender.example',
      'did not reach the following recipient: Ada',
    );
    expect(await read(raw)).toEqual([]);
  });

  it('the addresses of senders and helpers are not recipients', async () => {
    const raw = bounce(
      'Your message could not be delivered.',
      'For further assistance, contact <postmaster@example.net>.',
      'Original Sender: <bounce@sender.example>',
      '<ada@example.com>: 550 no such user',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.0.0']]);
  });

  it('an address that email could not be delivered to is a recipient', async () => {
    const raw = bounce(
      'Your message could not be delivered by email to ada@example.com:',
      '550 no such user',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.0.0']]);
  });

  it.each(['Call us at 555-0100, or write via e-mail at', 'If the address is right, e-mail us at'])(
    'an address to ask is not a recipient, even if it is the only one: "%s"',
    async (words) => {
      const raw = bounce(
        'Your message could not be delivered: one of its addresses is invalid.',
        `${words} desk@example.net.`,
      );
      expect(await read(raw)).toEqual([]);
    },
  );

  it.each([
    ['Postfix', ['<ada@home.example> (expanded from <ada@example.com>): unknown user: "ada"']],
    [
      'sendmail',
      ['<ada@home.example>', '    (reason: 550 User unknown)', '    (expanded from: <ada@example.com>)'],
    ],
    [
      'Exim',
      ['  ada@home.example', '    (ultimately generated from ada@example.com)', '    550 User unknown'],
    ],
  ])('the mailed address counts if %s expanded it', async (_name, lines) => {
    const reports = await readReports(bounce('Your message could not be delivered.', '', ...lines));
    expect(reports).toMatchObject([{ recipient: 'ada@example.com', bounceType: 'hard' }]);
  });

  it('an expanded address does not replace the recipient above it', async () => {
    const raw = bounce(
      '   ----- The following addresses had permanent fatal errors -----',
      '<joan@example.com>',
      '    (reason: 550 User unknown)',
      '"|/usr/bin/vacation ada"',
      '    (expanded from: <ada@example.com>)',
    );
    expect(await read(raw)).toEqual([['joan@example.com', 'hard', '5.0.0']]);
  });

  it('a refused MAIL FROM is about the sender', async () => {
    const raw = bounce(
      'A message that you sent could not be delivered.',
      '',
      '  ada@example.com',
      '    SMTP error from remote mail server after MAIL FROM:<news@sender.example>:',
      '    550 No such domain',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'blocked', '5.0.0']]);
  });
});

describe('a cut or broken message', () => {
  const READ_BYTES = 256 * 1024;
  const QUOTED_PRINTABLE = 'Content-Transfer-Encoding: quoted-printable';

  it('is decoded even if its MIME boundary got lost', async () => {
    const raw = mail(
      { ...FROM_DAEMON, 'Content-Type': 'multipart/report; boundary=lost' },
      '--found',
      QUOTED_PRINTABLE,
      '',
      '<ada=',
      '.lovelace=40example.com>: 550 5.1.1 User unknown',
    );
    expect(await read(raw)).toEqual([['ada.lovelace@example.com', 'hard', '5.1.1']]);
  });

  it.each([
    ['plain text', {}, 'ada@example.com'],
    ['quoted-printable', { 'Content-Transfer-Encoding': 'quoted-printable' }, 'ada@example=\r\n.com'],
  ])('never yields a part of an address at the end of %s', async (_name, fields, address) => {
    const start = mail({ ...FROM_DAEMON, ...fields }, 'could not be delivered', '<joan@example.com>: 550');
    for (const kept of [6, 9, 12, 14]) {
      const room = READ_BYTES - start.length - kept;
      const padding = `${'x'.repeat(898)}\r\n`.repeat(room / 900).concat('x'.repeat(room % 900), '\r\n');
      const raw = Buffer.concat([
        start,
        Buffer.from(`${padding.slice(0, -2)}\n<${address}>: 550 No such user`),
      ]);
      expect(await read(raw)).toMatchObject([['joan@example.com', 'soft', '5.0.0']]);
    }
  });

  it('never yields a part of an address at the end of a long line', async () => {
    for (const length of [990, 994, 996]) {
      const raw = bounce(`could not be delivered: ${' '.repeat(length - 24)}ada@example.company`);
      expect(await read(raw)).toEqual([]);
    }
  });
});
