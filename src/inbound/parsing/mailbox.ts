/** The address in a mailbox of a mail header, such as `Ada <ada@example.com>` (RFC 5322, section 3.4). */
export function addressOf(mailbox: string): string {
  const text = mailbox.trim();
  const open = text.lastIndexOf('<');
  return open >= 0 && text.endsWith('>') ? text.slice(open + 1, -1) : text;
}
