import type { Actor } from '../audit/actor.js';

/** The most characters that constraints allow in the note of a change, or of a rule. */
export const MAX_NOTE_LENGTH = 1_000;

/**
 * The evidence for a change: the consent to a guarded removal or opt-in, the way in which a recipient chose, or the operation
 * of which the change is a part.
 */
export type Evidence =
  | { consent: Consent }
  | RecipientEvidence
  | LiftEvidence
  /** The lift whose removal the change reverts. */
  | { reverted_lift: string }
  /** The change of the expiry of a bounce, or its lift, because of an incident. */
  | { incident: string }
  /** The change reverts a change of an import. It is not evidence about the recipient. */
  | { reverted_import: string }
  | ErasureEvidence;

/** The change is a part of this lift by query. */
export interface LiftEvidence {
  lift: string;
  consent?: Consent;
}

/** Marks a change that announces an erasure. The line never had the address. */
interface ErasureEvidence {
  /** The id of the erasure. */
  erasure: string;
}

/** The lift that a change belongs to, or that it reverts. */
export function liftIdIn(evidence: Evidence | null): string | null {
  const { lift, reverted_lift: reverted } = (evidence ?? {}) as { lift?: string; reverted_lift?: string };
  return lift ?? reverted ?? null;
}

/** Whether a change only restores what a lift removed. Such a change happened when it was recorded. */
export function isRestoration(evidence: Evidence | null): boolean {
  return evidence !== null && 'reverted_lift' in evidence;
}

/** Whether a change only announces an erasure: its cause or topic says nothing about the address. */
export function isErasure(evidence: Evidence | null): evidence is ErasureEvidence {
  return evidence !== null && 'erasure' in evidence;
}

/** Whether a change only gives a bounce another expiry, because of an incident. */
export function isNewExpiry({ action, evidence }: { action: string; evidence: Evidence | null }): boolean {
  return action === 'cause_added' && evidence !== null && 'incident' in evidence;
}

/** SQL of {@link liftIdIn} for a ledger line. */
export function liftIdOf(line: string): string {
  return `coalesce(${line}.evidence ->> 'lift', ${line}.evidence ->> 'reverted_lift')`;
}

/** SQL condition: the ledger line is not a change because of an incident. */
export function isNotOfIncident(line: string): string {
  return `${line}.evidence ->> 'incident' IS NULL`;
}

/** SQL condition: the ledger line does not belong to the revert of an import. */
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

export interface RecipientEvidence {
  /** A POST of the mail program (RFC 8058), the page, or a mail to the `mailto:` address. */
  via: 'one_click' | 'page' | 'mail';
  /** SHA-256 of the token of the unsubscribe link, in hexadecimal. */
  token_hash: string;
  user_agent: string | null;
  /** Truncated to /24 (IPv4) or /48 (IPv6). */
  client_address: string | null;
}

export interface ChangeActor extends Actor {
  /** The evidence for the change, if it is required. */
  evidence?: Evidence | null;
}
