import { readReports } from '../../../src/inbound/mail/read-reports.js';
import {
  deliveryStatus,
  failedRecipient,
  FROM_DAEMON,
  mail,
  OUR_HEADER,
  report,
} from '../../support/raw-mail.js';

const FAILED = ['Action: failed', 'Status: 5.1.1', 'Diagnostic-Code: smtp; 550 5.1.1 User unknown'];

async function recipients(raw: Buffer): Promise<(string | null)[]> {
  return (await readReports(raw)).map(({ recipient }) => recipient);
}

describe('a delivery status notification', () => {
  it('names the recipient, the status and the diagnostic', async () => {
    expect(
      await readReports(deliveryStatus(['Final-Recipient: rfc822; Ada@Example.COM', ...FAILED])),
    ).toEqual([
      {
        recipient: 'ada@example.com',
        kind: 'bounce',
        effect: 'suppress',
        bounceType: 'hard',
        status: '5.1.1',
        diagnostic: '550 5.1.1 User unknown',
        reason: 'the mailbox does not exist',
        reported: expect.objectContaining({ returnPaths: ['bounce@sender.example'] }),
      },
    ]);
  });

  it('is read however long its header is, and that of the returned message', async () => {
    const padding = Array.from({ length: 80 }, (_, index) => [`X-Padding-${index}`, 'x'.repeat(900)]);
    const returned = [...padding.map((field) => field.join(': ')), ...OUR_HEADER];
    const lines = ['Final-Recipient: rfc822; ada@example.com', ...FAILED];
    expect(await readReports(deliveryStatus(lines, returned, Object.fromEntries(padding)))).toMatchObject([
      { recipient: 'ada@example.com', reported: { messageId: '42@news.example.com' } },
    ]);
  });

  it('reports on each recipient separately', async () => {
    const raw = deliveryStatus([
      'Final-Recipient: rfc822; ada@example.com',
      ...FAILED,
      '',
      'Final-Recipient: rfc822; grace@example.com',
      'Action: failed',
      'Status: 5.2.2',
      '',
      'Final-Recipient: rfc822; joan@example.com',
      'Action: delivered',
      'Status: 2.1.5',
    ]);
    expect((await readReports(raw)).map(({ recipient, effect }) => [recipient, effect])).toEqual([
      ['ada@example.com', 'suppress'],
      ['grace@example.com', 'watch'],
    ]);
  });

  it('is read if the human-readable part has the type of the machine-readable one', async () => {
    const type = 'message/delivery-status';
    const raw = report('delivery-status', [
      { type, lines: ['This message was undeliverable due to the following reason:', '', 'No inbox.'] },
      { type, lines: ['Reporting-MTA: dns; mx.example.net', '', ...failedRecipient('ada@example.com')] },
    ]);
    expect(await readReports(raw)).toMatchObject([{ recipient: 'ada@example.com', status: '5.1.1' }]);
  });

  it('reports nothing about a recipient that is only delayed', async () => {
    const raw = deliveryStatus([
      'Final-Recipient: rfc822; ada@example.com',
      'Action: delayed',
      'Status: 4.4.1',
    ]);
    expect(await readReports(raw)).toEqual([]);
  });

  it('names the recipient as the sender gave it', async () => {
    const original = 'Original-Recipient: rfc822;ada+2Bnews@example.com';
    const raw = deliveryStatus(['Final-Recipient: rfc822; ada@home.example', original, ...FAILED]);
    expect(await recipients(raw)).toEqual(['ada+news@example.com']);
  });

  it('names the original recipient of a forwarded email from the trace headers of the returned message', async () => {
    const returned = [
      'Received: from a by b with ESMTP id 1 for <ada@example.com>; 1 May 2026',
      'To: ada@example.com',
    ];
    const failed = ['Final-Recipient: rfc822; ada@home.example', ...FAILED];
    expect(await recipients(deliveryStatus(failed, returned))).toEqual(['ada@example.com']);
    expect(await recipients(deliveryStatus(failed, returned.slice(1)))).toEqual(['ada@home.example']);
    const post = ['List-Id: <talk.example.com>', ...returned];
    expect(await recipients(deliveryStatus(failed, post))).toEqual(['ada@home.example']);
  });

  it('is read although mail servers deviate from the standard', async () => {
    const raw = deliveryStatus([
      'Final-Recipient: RFC822; <ada@example.com> (Ada)',
      'Action: FAILED (permanent)',
      'Status: 5.0.0 (user unknown)',
      'Final-Recipient: rfc822;grace@example.com',
      'Status: 5.1.1',
      'Diagnostic-Code: X-Postfix; unknown',
      'user: grace',
    ]);
    expect(await recipients(raw)).toEqual(['ada@example.com', 'grace@example.com']);
  });

  it('is read in its internationalized form', async () => {
    const lines = ['Final-Recipient: utf-8; J\\x{F6}rg@example.com', 'Action: failed', 'Status: 5.1.1'];
    const raw = report('delivery-status', [{ type: 'message/global-delivery-status', lines }]);
    expect(await recipients(raw)).toEqual(['jörg@example.com']);
  });

  it.each([
    ['CR', '\r'],
    ['LF', '\n'],
    ['CRCRLF', '\r\r\n'],
  ])('is read with %s at the end of lines', async (_name, end) => {
    const raw = deliveryStatus(['Final-Recipient: rfc822; ada@example.com', ...FAILED]);
    expect(await recipients(Buffer.from(raw.toString().replaceAll('\r\n', end)))).toEqual([
      'ada@example.com',
    ]);
  });

  it('is explained by the words for people if there is no diagnostic', async () => {
    const raw = report('delivery-status', [
      { type: 'text/plain', lines: ['<ada@example.com>: host mx.example.com said: 550 No such user'] },
      {
        type: 'message/delivery-status',
        lines: ['Final-Recipient: rfc822; ada@example.com', 'Action: failed', 'Status: 5.0.0'],
      },
    ]);
    expect(await readReports(raw)).toMatchObject([{ bounceType: 'hard', diagnostic: '550 No such user' }]);
  });

  it('identifies the mail', async () => {
    const envelope = [
      'Original-Envelope-Id: mail+2B42',
      '',
      'Final-Recipient: rfc822; ada@example.com',
      ...FAILED,
    ];
    const returned = ['Message-ID: <42@sender.example>', 'X-Mail-Id: 42', 'To: ada@example.com'];
    const [found] = await readReports(deliveryStatus(envelope, returned));
    expect(found!.reported).toMatchObject({ messageId: '42@sender.example', envelopeId: 'mail+42' });
    expect(found!.reported.headers.get('x-mail-id')).toBe('42');
  });

  it('counts in a different multipart only if a mail server sent it', async () => {
    const contentType = 'multipart/mixed; boundary=b';
    const body = [
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Final-Recipient: rfc822; a@b.example',
      ...FAILED,
    ];
    const header = { Subject: 'Look', 'Content-Type': contentType };
    expect(await recipients(mail({ ...header, From: 'joan@example.com' }, ...body))).toEqual([]);
    expect(await recipients(mail({ ...header, From: 'MAILER-DAEMON@x.example' }, ...body))).toEqual([
      'a@b.example',
    ]);
  });

  it.each([
    ['Exim', 'from mx by b (Exim 4.96) (envelope-from <bounce@sender.example>) id 1; 1 May 2026'],
    ['Postfix', 'from a (a [192.0.2.1]) (Authenticated sender: bounce@sender.example) by b; 1 May 2026'],
    ['qmail', '(qmail 42 invoked by uid 1000 for bounce@sender.example); 1 May 2026'],
  ])('does not mistake the sender in a comment by %s for the recipient', async (_name, received) => {
    const returned = [`Received: ${received}`, 'From: bounce@sender.example', 'To: bounce@sender.example'];
    const raw = deliveryStatus(['Final-Recipient: rfc822; ada@example.com', ...FAILED], returned);
    expect(await recipients(raw)).toEqual(['ada@example.com']);
  });

  it('does not name the sender of a mail to itself, with the readers in Bcc', async () => {
    const returned = [
      'Received: from a by b with ESMTP id 1 for <news@sender.example>; 1 May 2026',
      'From: news@sender.example',
      'To: news@sender.example',
    ];
    const raw = deliveryStatus(['Final-Recipient: rfc822; ada@example.com', ...FAILED], returned);
    expect(await recipients(raw)).toEqual(['ada@example.com']);
  });

  it('names the mailed address that the text says was expanded', async () => {
    const raw = report('delivery-status', [
      { type: 'text/plain', lines: ['<ada@home.example> (expanded from <ada@example.com>): User unknown'] },
      { type: 'message/delivery-status', lines: ['Final-Recipient: rfc822; ada@home.example', ...FAILED] },
    ]);
    expect(await recipients(raw)).toEqual(['ada@example.com']);
  });

  it('is not explained by a disclaimer', async () => {
    const raw = report('delivery-status', [
      {
        type: 'text/plain',
        lines: [
          '<ada@example.com>',
          'This message is intended only for the addressee and may contain confidential information.',
          'It contains no virus. Users at this address may be out of office.',
        ],
      },
      {
        type: 'message/delivery-status',
        lines: ['Final-Recipient: rfc822; ada@example.com', 'Action: failed', 'Status: 5.1.1'],
      },
    ]);
    expect(await readReports(raw)).toMatchObject([{ bounceType: 'hard', status: '5.1.1' }]);
  });

  it('counts if only the diagnostic shows the failure', async () => {
    const fields = ['Final-Recipient: rfc822; ada@example.com', 'Diagnostic-Code: smtp; 552 Quota exceeded'];
    expect(await readReports(deliveryStatus(fields))).toMatchObject([
      { recipient: 'ada@example.com', bounceType: 'soft' },
    ]);
  });
});

describe('a report within the report of a gateway', () => {
  const wrapped = (header: Record<string, string>, ...lines: string[]) => {
    const fields = ['Final-Recipient: rfc822; ada@example.com', ...FAILED];
    const status = deliveryStatus(fields, ['Message-ID: <42@sender.example>']).toString();
    return mail(
      { 'Content-Type': 'multipart/mixed; boundary=gateway', ...header },
      '--gateway',
      '',
      ...lines,
      '--gateway',
      'Content-Type: message/rfc822',
      '',
      status.replaceAll('=b', '=inner'),
      '--gateway--',
    );
  };

  it.each([
    [
      'a mail server returns it to its sender, because the sender of the mail does not exist',
      { ...FROM_DAEMON, Subject: 'Returned mail' },
      ['The following addresses had delivery errors:', '<news@sender.example>: 550 5.1.1 User unknown'],
    ],
    [
      'its subject is kept',
      { From: 'postmaster@example.net', Subject: FROM_DAEMON.Subject },
      ['Please see the attachment.'],
    ],
  ])('is read if %s', async (_name, header, lines) => {
    const raw = wrapped(header, ...lines);
    expect(await readReports(raw)).toMatchObject([
      { recipient: 'ada@example.com', bounceType: 'hard', reported: { messageId: '42@sender.example' } },
    ]);
  });

  it('is not read if a postmaster forwards it', async () => {
    const header = { From: 'postmaster@example.net', Subject: `Fwd: ${FROM_DAEMON.Subject}` };
    expect(await readReports(wrapped(header, 'Do you know about this?'))).toEqual([]);
  });
});

describe('a disposition notification', () => {
  const disposition = (action: string) =>
    report(
      'disposition-notification',
      [
        {
          type: 'text/plain',
          lines: ['Your message to <ada@example.com> was automatically rejected:', 'Quota exceeded'],
        },
        {
          type: 'message/disposition-notification',
          lines: ['Final-Recipient: rfc822; ada@example.com', `Disposition: ${action}`],
        },
      ],
      { Subject: 'Automatically rejected mail', 'Auto-Submitted': 'auto-replied (rejected)' },
    );

  it('is a bounce if a filter rejected the message', async () => {
    const raw = disposition('automatic-action/MDN-sent-automatically; deleted');
    expect(await readReports(raw)).toMatchObject([{ recipient: 'ada@example.com', bounceType: 'soft' }]);
  });

  it('is not a bounce if the recipient read or deleted the message', async () => {
    expect(await readReports(disposition('manual-action/MDN-sent-manually; deleted'))).toEqual([]);
    expect(await readReports(disposition('automatic-action/MDN-sent-automatically; displayed'))).toEqual([]);
  });
});
