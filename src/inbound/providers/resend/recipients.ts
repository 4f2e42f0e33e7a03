import { InvalidEmailAddress, parseEmailAddress } from '../../../email-address/email-address.js';
import { requireFew, stringsAt } from '../../parsing/json.js';
import { addressOf } from '../../parsing/mailbox.js';
import { domainOf } from '../../parsing/receiver-network.js';
import { byDiagnostic } from '../../policy/mapping.js';

const WORDS = /[\s<>"',;:()[\]]+/;
const MAX_DIAGNOSTIC_LENGTH = 10_000;

function normalForm(mailbox: string): string {
  const address = parseEmailAddress(addressOf(mailbox));
  return address instanceof InvalidEmailAddress ? mailbox : address;
}

/** Copies bounce and complain, too. */
export function recipientsOf(body: unknown): string[] {
  const mailboxes = ['to', 'cc', 'bcc'].flatMap((field) => stringsAt(body, 'data', field));
  return [...new Set(requireFew(mailboxes).map(normalForm))];
}

/**
 * The one recipient that the diagnostic names as permanently gone. A server can write any address into its response, so it is
 * believed only if all recipients have the same domain.
 */
export function findNamedRecipient(diagnostic: string | null, recipients: string[]): string[] {
  if (new Set(recipients.map(domainOf)).size > 1 || byDiagnostic({ diagnostic }).effect !== 'suppress') {
    return [];
  }
  const words = new Set(
    (diagnostic ?? '')
      .slice(0, MAX_DIAGNOSTIC_LENGTH)
      .split(WORDS)
      .filter((word) => word.includes('@'))
      .map(normalForm),
  );
  const named = recipients.filter((recipient) => words.has(recipient));
  return named.length === 1 ? named : [];
}
