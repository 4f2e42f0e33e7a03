import type { EmailAddress } from '../email-address/email-address.js';
import { QuotedAddress } from '../email-address/quoted-address.js';
import type { Pseudonymised } from './stored-names.js';

/** The addresses of some rows, which are read only if they are needed. */
export function* emailsOf(rows: Iterable<{ email: EmailAddress }>): Generator<EmailAddress> {
  for (const { email } of rows) {
    yield email;
  }
}

/** Rows as they are stored: with the pseudonyms of their addresses, also where their notes quote them. */
export function renameRows<Row extends { email: EmailAddress; note: string | null }>(
  rows: Row[],
  pseudonyms: Pseudonymised,
): Row[] {
  return pseudonyms.size === 0
    ? rows
    : rows.map((row) => {
        const pseudonym = pseudonyms.get(row.email);
        return pseudonym ? { ...row, email: pseudonym, note: renameIn(row.note, pseudonyms) } : row;
      });
}

/** A consent as it is stored: with pseudonyms in place of the addresses that its reference quotes. */
export function renameInConsent<Consent extends { reference: string }>(
  consent: Consent,
  pseudonyms: Pseudonymised,
): Consent {
  return { ...consent, reference: renameIn(consent.reference, pseudonyms)! };
}

/** A text as it is stored: with pseudonyms in place of the addresses that it quotes. */
export function renameIn(text: string | null, pseudonyms: Pseudonymised, maxLength = 1_000): string | null {
  let renamed = text;
  for (const [email, pseudonym] of text === null ? [] : pseudonyms) {
    renamed = new QuotedAddress(email).replaceIn(renamed!, pseudonym).slice(0, maxLength);
  }
  return renamed;
}
