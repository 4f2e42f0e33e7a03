/** The address of a mailbox as mail headers write it: of `Ada <ada@example.com>` what is in brackets (RFC 5322, 3.4). */
export function addressOf(mailbox: string): string {
  const text = mailbox.trim();
  const open = text.lastIndexOf('<');
  return open >= 0 && text.endsWith('>') ? text.slice(open + 1, -1) : text;
}
