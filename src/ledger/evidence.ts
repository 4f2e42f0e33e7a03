/**
 * What entitled an actor to a change: the consent to a guarded removal or opt-in, the way in which a recipient chose, or the
 * import that was reverted.
 */
export type Evidence = ConsentEvidence | RecipientEvidence | RevertEvidence;

/** Marks a change that reverts one of an import, and is no evidence about the recipient. */
export interface RevertEvidence {
  reverted_import: string;
}

/** SQL condition: the ledger line does not belong to a revert. */
export function isNotRevert(line: string): string {
  return `${line}.evidence ->> 'reverted_import' IS NULL`;
}

export const CONSENT_KINDS = ['recipient_request', 'double_opt_in', 'our_error'] as const;

export type ConsentKind = (typeof CONSENT_KINDS)[number];

export interface Consent {
  kind: ConsentKind;
  /** Where the consent is documented, such as the number of a support case. */
  reference: string;
}

export interface ConsentEvidence {
  consent: Consent;
}

export interface RecipientEvidence {
  /** A POST of the mail program (RFC 8058), the page, or a mail to the `mailto:` address. */
  via: 'one_click' | 'page' | 'mail';
  /** SHA-256 of the token of the unsubscribe link, in hexadecimal. */
  token_hash: string;
  user_agent: string | null;
  /** Truncated to /24 (IPv4) or /48 (IPv6). */
  client_address: string | null;
}
