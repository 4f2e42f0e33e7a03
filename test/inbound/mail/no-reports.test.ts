import { readReports } from '../../../src/inbound/mail/read-reports.js';
import { FROM_DAEMON, mail, report } from '../../support/raw-mail.js';

const FROM_ADA = { From: 'Ada <ada@example.com>', To: 'news@sender.example' };
const ERROR = '<joan@example.com>: 550 5.1.1 User unknown, your message could not be delivered';

describe('there is no report in', () => {
  it.each<[string, Buffer]>([
    ['an ordinary mail', mail({ ...FROM_ADA, Subject: 'Hello' }, 'Hello joan@example.com')],
    [
      'a person who quotes an error',
      mail({ ...FROM_ADA, Subject: 'Re: Undelivered Mail' }, 'Why this?', `> ${ERROR}`),
    ],
    [
      'a person who pastes an error',
      mail({ ...FROM_ADA, Subject: 'Undelivered Mail Returned to Sender' }, ERROR),
    ],
    [
      'a person who forwards a bounce',
      mail(
        { ...FROM_ADA, Subject: 'Fwd: failure notice', 'Content-Type': 'multipart/mixed; boundary=b' },
        '--b',
        'Content-Type: message/rfc822',
        '',
        'From: MAILER-DAEMON@example.net',
        'Subject: failure notice',
        '',
        ERROR,
        '--b--',
      ),
    ],
    [
      'a postmaster who answers a question',
      mail(
        { ...FROM_ADA, From: 'postmaster@example.net', Subject: 'Re: my account' },
        'Thanks, it works.',
        `> ${ERROR}`,
      ),
    ],
    [
      'a newsletter about errors',
      mail(
        {
          ...FROM_ADA,
          'Return-Path': '<>',
          'List-Unsubscribe': '<https://x.example>',
          Subject: 'Undeliverable',
        },
        ERROR,
      ),
    ],
    [
      'a notice of a failed delivery by a carrier',
      mail(
        { ...FROM_ADA, From: 'no-reply@carrier.example', Subject: 'Delivery failed' },
        'Your parcel could not be delivered to joan@example.com: address unknown.',
        '555 Main Street',
      ),
    ],
    [
      'an automatic reply',
      mail(
        { ...FROM_ADA, 'Return-Path': '<>', 'Auto-Submitted': 'auto-replied (vacation)', Subject: 'Away' },
        'I am on vacation; write to joan@example.com. My old address could not be delivered to.',
      ),
    ],
    [
      'an automatic reply with an older field',
      mail(
        { ...FROM_ADA, 'Return-Path': '<>', 'X-Autorespond': 'Hello', Subject: 'Away' },
        'Mail cannot be delivered.',
      ),
    ],
    [
      'a read receipt',
      report('disposition-notification', [
        { type: 'text/plain', lines: ['Your message was displayed.'] },
        {
          type: 'message/disposition-notification',
          lines: [
            'Final-Recipient: rfc822; ada@example.com',
            'Disposition: manual-action/MDN-sent-manually; deleted',
          ],
        },
      ]),
    ],
    [
      'a TLS report',
      report('tlsrpt', [
        { type: 'text/plain', lines: ['Report for example.com. 3 messages could not be delivered.'] },
        { type: 'application/tlsrpt+gzip', lines: ['x'] },
      ]),
    ],
    [
      'a DMARC aggregate report',
      mail(
        { ...FROM_ADA, From: 'dmarc@provider.example', Subject: 'Report Domain: sender.example' },
        'See the file.',
      ),
    ],
    [
      'a warning about a delay by Exim',
      mail(
        { ...FROM_DAEMON, Subject: 'Warning: message 1abc delayed 24 hours' },
        'A message that you sent has not yet been delivered to one or more of its recipients.',
        '',
        '  ada@example.com',
        '    Delay reason: 450 try later',
        '',
        'No action is required on your part. Delivery attempts will continue for some time.',
      ),
    ],
    [
      'a warning about a delay by sendmail',
      mail(
        { ...FROM_DAEMON, Subject: 'Warning: could not send message for past 4 hours' },
        '    **      THIS IS A WARNING MESSAGE ONLY      **',
        '   ----- Transcript of session follows -----',
        '<ada@example.com>... Deferred: 421',
      ),
    ],
    [
      'a warning about a delay by a gateway',
      mail(
        { ...FROM_DAEMON, Subject: 'Warning--Could not send mail for past 8.5 hours' },
        '---The following addresses had delivery errors---',
        'ada@example.com [Connection timed out]',
      ),
    ],
    ['a mail of the daemon about nothing', mail({ ...FROM_DAEMON, Subject: 'Hello' }, 'All is well.')],
    ['an empty file', Buffer.alloc(0)],
  ])('%s', async (_name, raw) => {
    expect(await readReports(raw)).toEqual([]);
  });
});
