import { readReports } from '../../../src/inbound/mail/read-reports.js';
import { feedbackReport, mail } from '../../support/raw-mail.js';

const TO_ADA = 'Original-Rcpt-To: <ada@example.com>';

async function read(raw: Buffer): Promise<unknown[]> {
  return (await readReports(raw)).map(({ recipient, kind, effect }) => [recipient, kind, effect]);
}

describe('a feedback report', () => {
  it.each([
    ['abuse', 'complaint', 'suppress'],
    ['fraud', 'complaint', 'suppress'],
    ['other', 'complaint', 'suppress'],
    ['miscategorized', 'complaint', 'suppress'],
    ['opt-out', 'unsubscribe', 'suppress'],
    ['not-spam', 'unknown', 'none'],
    ['auth-failure', 'unknown', 'none'],
    ['virus', 'unknown', 'none'],
    ['dmarc', 'unknown', 'none'],
    ['x-news', 'unknown', 'none'],
  ])('of the type %s means: %s, %s', async (type, kind, effect) => {
    const raw = feedbackReport([`Feedback-Type: ${type}`, TO_ADA]);
    expect(await read(raw)).toEqual([['ada@example.com', kind, effect]]);
  });

  it('names the recipient of the returned message if it names none itself', async () => {
    const raw = feedbackReport(['Feedback-Type: abuse'], ['To: Ada <ada@example.com>']);
    expect(await read(raw)).toEqual([['ada@example.com', 'complaint', 'suppress']]);
  });

  it('names the mailed address if the mail was forwarded', async () => {
    const forwarded = 'Original-Rcpt-To: <ada@mailbox.example>';
    const returned = [
      'Received: from mail.sender.example by mx.example.com for <ada@example.com>; Mon, 12 Jan 2026 09:30:00 +0000',
      'From: news@sender.example',
      'To: Ada <ada@example.com>',
    ];
    const raw = feedbackReport(['Feedback-Type: abuse', forwarded], returned);
    expect(await read(raw)).toEqual([['ada@example.com', 'complaint', 'suppress']]);
  });

  it.each([
    ['the mail does not prove which address was mailed', ['To: Ada <ada@example.com>']],
    [
      'it was posted to a mailing list',
      ['Delivered-To: list@example.com', 'To: list@example.com', 'List-Id: <list.example.com>'],
    ],
  ])('names the recipient that complained if %s', async (_why, returned) => {
    const raw = feedbackReport(
      ['Feedback-Type: abuse', TO_ADA.replace('example.com', 'mailbox.example')],
      ['From: news@sender.example', ...returned],
    );
    expect(await read(raw)).toEqual([['ada@mailbox.example', 'complaint', 'suppress']]);
  });

  it('is kept without a recipient if it conceals the recipient', async () => {
    const returned = ['To: ada@example.com, grace@example.com', 'Message-ID: <42@sender.example>'];
    const raw = feedbackReport(['Feedback-Type: abuse'], returned);
    expect(await read(raw)).toEqual([[null, 'complaint', 'suppress']]);
    expect(await readReports(raw)).toMatchObject([{ reported: { messageId: '42@sender.example' } }]);
  });

  it('by Microsoft names the recipient in the returned message', async () => {
    const about = (Subject: string) =>
      mail(
        { From: 'staff@provider.example', Subject, 'Content-Type': 'message/rfc822' },
        'X-HmXmrOriginalRecipient: ada@example.com',
        'To: joan@example.com',
      );
    expect(await read(about('complaint about message from 192.0.2.1'))).toEqual([
      ['ada@example.com', 'complaint', 'suppress'],
    ]);
    expect(await read(about('Fwd: News'))).toEqual([]);
  });
});

describe('an Amazon SES notification by mail', () => {
  const header = { From: 'no-reply@sns.amazonaws.com', 'X-Amz-Sns-Message-Id': '42' };
  const notification = (content: unknown) => mail(header, JSON.stringify(content), '', '--', 'To stop');
  const complaint = (complaintFeedbackType: string | undefined, ...recipients: string[]) => ({
    notificationType: 'Complaint',
    complaint: {
      complainedRecipients: recipients.map((emailAddress) => ({ emailAddress })),
      complaintFeedbackType,
    },
  });
  const BOUNCE = {
    notificationType: 'Bounce',
    bounce: { bouncedRecipients: [{ emailAddress: 'ada@example.com', action: 'failed', status: '5.1.1' }] },
  };

  it('reports complaints and bounces', async () => {
    expect(await read(notification(complaint(undefined, 'ada@example.com')))).toEqual([
      ['ada@example.com', 'complaint', 'suppress'],
    ]);
    expect(await read(notification(BOUNCE))).toEqual([['ada@example.com', 'bounce', 'suppress']]);
  });

  it('is read if only its From shows that Amazon SNS sent it', async () => {
    const raw = mail({ From: header.From }, JSON.stringify(BOUNCE));
    expect(await read(raw)).toEqual([['ada@example.com', 'bounce', 'suppress']]);
    expect(await read(mail({ From: 'joan@example.com' }, JSON.stringify(BOUNCE)))).toEqual([]);
  });

  it('is read within the envelope of Amazon SNS', async () => {
    const envelope = { Type: 'Notification', MessageId: '42', Message: JSON.stringify(BOUNCE) };
    expect(await read(notification(envelope))).toEqual([['ada@example.com', 'bounce', 'suppress']]);
  });

  it('does not suppress if it is not a complaint or conceals who complained', async () => {
    expect(await read(notification(complaint('not-spam', 'ada@example.com')))).toEqual([
      ['ada@example.com', 'unknown', 'none'],
    ]);
    expect(await read(notification(complaint('abuse', 'ada@example.com', 'grace@example.com')))).toEqual([
      ['ada@example.com', 'complaint', 'watch'],
      ['grace@example.com', 'complaint', 'watch'],
    ]);
  });

  it('names the mailed address if a server behind a forwarding failed', async () => {
    const forwarded = { ...BOUNCE, mail: { destination: ['grace@example.com'] } };
    expect(await read(notification(forwarded))).toEqual([['grace@example.com', 'bounce', 'suppress']]);
  });

  it("names the mailed address if a server inside the receiver's network failed", async () => {
    const several = { ...BOUNCE, mail: { destination: ['ada@example.com', 'grace@example.com'] } };
    const bouncedRecipients = [{ emailAddress: 'ada@mx3.example.com', action: 'failed', status: '5.1.1' }];
    expect(await read(notification({ ...several, bounce: { bouncedRecipients } }))).toEqual([
      ['ada@example.com', 'bounce', 'suppress'],
    ]);
  });

  it('reports nothing for a recipient that is only delayed', async () => {
    const delayed = [{ emailAddress: 'ada@example.com', action: 'delayed', status: '4.4.1' }];
    expect(await read(notification({ bounce: { bouncedRecipients: delayed } }))).toEqual([]);
  });
});

describe('an unsubscribe by mail', () => {
  it('counts if a mail program sent it automatically', async () => {
    const header = { From: 'Ada <ada@example.com>', To: 'leave@sender.example', Subject: 'unsubscribe' };
    expect(await read(mail({ ...header, 'Auto-Submitted': 'auto-replied' }, 'Bye'))).toEqual([
      ['ada@example.com', 'unsubscribe', 'suppress'],
    ]);
    expect(await read(mail(header, 'How do I unsubscribe?'))).toEqual([]);
  });
});
