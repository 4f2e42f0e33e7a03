import type { EmailAddress } from '../../email-address/email-address.js';
import { findAddresses } from './address-text.js';

/** Exim, Postfix and sendmail name the mailed address after the one that it was expanded to. */
const EXPANDED_FROM = /\b(?:generated|expanded) from[^@]{0,20}$/i;

/** An entry is an address, and the indented or parenthesized lines below it. */
export function readExpansions(lines: string[]): {
  mailedAs: Map<EmailAddress, EmailAddress>;
  aliases: EmailAddress[];
} {
  const mailedAs = new Map<EmailAddress, EmailAddress>();
  const aliases = new Set<EmailAddress>();
  let entry: EmailAddress | undefined;
  for (const line of lines) {
    const found = findAddresses(line);
    const alias = found.find(({ start }) => EXPANDED_FROM.test(line.slice(0, start)));
    const [first] = found;
    if (first && first !== alias) {
      entry = first.address;
    } else if (!alias && /^\S/.test(line) && !line.startsWith('(')) {
      entry = undefined;
    }
    if (alias && entry) {
      mailedAs.set(entry, alias.address);
    } else if (alias) {
      aliases.add(alias.address);
    }
  }
  return { mailedAs, aliases: [...aliases] };
}
