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

  it('sendmail, whose transcript tells of the recipient last', async () => {
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

  it('a mail server that names only the returned message', async () => {
    const raw = bounce(
      'Your message could not be delivered: no such user.',
      '--- Original message follows.',
      'To: ada@x.example',
    );
    expect(await read(raw)).toEqual([['ada@x.example', 'hard', null]]);
  });

  it('a server that spells out the fields of a status in its text', async () => {
    const raw = bounce(
      'Undeliverable.',
      '',
      'Action: failed',
      'Final-Recipient: rfc822; ada@example.com',
      'Status: 5.1.1',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.1.1']]);
  });

  it('a multipart whose boundary was lost', async () => {
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
  it('the address of the sender and of a helper are no recipients', async () => {
    const raw = bounce(
      'Your message could not be delivered.',
      'For further assistance, contact <postmaster@example.net>.',
      'Original Sender: <bounce@sender.example>',
      '<ada@example.com>: 550 no such user',
    );
    expect(await read(raw)).toEqual([['ada@example.com', 'hard', '5.0.0']]);
  });
});
