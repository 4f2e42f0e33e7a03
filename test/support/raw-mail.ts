/** Writes raw messages for tests: lines with CRLF at their ends. */
export function mail(header: Record<string, string>, ...lines: string[]): Buffer {
  const fields = Object.entries(header).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([...fields, '', ...lines, ''].join('\r\n'));
}

export const FROM_DAEMON = {
  'Return-Path': '<>',
  From: 'Mail Delivery System <MAILER-DAEMON@mx.example.net>',
  To: 'bounce@sender.example',
  Subject: 'Undelivered Mail Returned to Sender',
};

/** A report in parts (RFC 6522). */
export function report(type: string, parts: { type: string; lines: string[] }[], header = {}): Buffer {
  const body = parts.flatMap((part) => ['--=b', `Content-Type: ${part.type}`, '', ...part.lines, '']);
  const contentType = { 'Content-Type': `multipart/report; report-type=${type}; boundary="=b"` };
  return mail({ ...FROM_DAEMON, ...header, ...contentType }, ...body, '--=b--');
}

/** A delivery status notification (RFC 3464) with these lines in its part for machines. */
export function deliveryStatus(lines: string[], returned: string[] = [], header = {}): Buffer {
  const parts = [
    { type: 'text/plain', lines: ['Your message could not be delivered.'] },
    { type: 'message/delivery-status', lines: ['Reporting-MTA: dns; mx.example.net', '', ...lines] },
    ...(returned.length > 0 ? [{ type: 'text/rfc822-headers', lines: returned }] : []),
  ];
  return report('delivery-status', parts, header);
}

/** A feedback report (RFC 5965) with these lines in its part for machines. */
export function feedbackReport(lines: string[], returned: string[] = ['From: news@sender.example']): Buffer {
  return report(
    'feedback-report',
    [
      { type: 'text/plain', lines: ['This is an email abuse report.'] },
      { type: 'message/feedback-report', lines: ['User-Agent: Loop/1.0', 'Version: 1', ...lines] },
      { type: 'message/rfc822', lines: [...returned, '', 'Hello'] },
    ],
    { From: 'feedback@provider.example', Subject: 'abuse report' },
  );
}

/** The header of a message of our own, whose id has a domain of the source. */
export const OUR_HEADER = ['Message-ID: <42@news.example.com>'];

/** The fields about one recipient in a report of a failed delivery. */
export function failedRecipient(email: string, status = '5.1.1'): string[] {
  return [`Final-Recipient: rfc822; ${email}`, 'Action: failed', `Status: ${status}`, ''];
}

/** A report that a recipient does not exist. */
export function gone(email: string, header = {}, returned: string[] = []): Buffer {
  return deliveryStatus(failedRecipient(email), returned, header);
}
