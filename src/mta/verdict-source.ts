import type { EmailAddress } from '../email-address/email-address.js';
import type { Reason } from '../mta-hooks/refusal-text.js';
import type { CheckOptions } from '../replica/settings-index.js';
import { parseTopicKey } from '../topics/topic-ref.js';
import { Invalid, isId } from '../validation/parsers.js';

/** The answer to a mail server's question whether an address may be mailed. */
export type Answer =
  | { verdict: 'send' }
  | ({ verdict: 'suppressed' } & Reason)
  /** The text cannot be an address, so it is not on the list. */
  | { verdict: 'invalid' }
  /** The verdict is unknown. */
  | { verdict: 'unavailable' };

/** The purpose of a mail, as a mail server names it. */
export interface MailPurpose {
  name: string;
  options: CheckOptions;
}

/** Reads `any`, `transactional`, or the id or the key of a topic. A topic with one of the two keys can be named by its id. */
export function parsePurpose(text: string): MailPurpose | Invalid {
  if (text === 'any') {
    return { name: text, options: {} };
  }
  if (text === 'transactional') {
    return { name: text, options: { transactional: true } };
  }
  return isId(text) || !(parseTopicKey(text) instanceof Invalid)
    ? { name: text, options: { topic: text } }
    : new Invalid('must be any, transactional, or the id or the key of a topic');
}

/**
 * Reads the purposes of SASL users: a user and a purpose a line, separated by spaces. Empty lines, and lines that begin with `#`,
 * are skipped.
 */
export function parseUserPurposes(text: string): Map<string, MailPurpose> | Invalid {
  const purposes = new Map<string, MailPurpose>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [user, name, ...rest] = line.trim().split(/\s+/);
    if (!user || user.startsWith('#')) {
      continue;
    }
    if (name === undefined || rest.length > 0) {
      return new Invalid(`line ${index + 1} must be a user and a purpose, separated by a space`);
    }
    const purpose = parsePurpose(name);
    if (purpose instanceof Invalid) {
      return new Invalid(`the purpose in line ${index + 1} ${purpose.problem}`);
    }
    if (purposes.has(user)) {
      return new Invalid(`line ${index + 1} repeats a user`);
    }
    purposes.set(user, purpose);
  }
  return purposes;
}

/** The source of verdicts: the service, or a local copy of the list. */
export interface VerdictSource {
  /** @throws {UnknownVerdictError} */
  check(email: EmailAddress, purpose: MailPurpose): Promise<Answer> | Answer;
  close(): Promise<void>;
}

/** Why a verdict is unknown; the label of a metric. */
export type FailureReason =
  | 'unreachable'
  | 'timeout'
  | 'unavailable'
  | 'rate_limited'
  | 'unauthorized'
  | 'forbidden'
  | 'refused'
  | 'unknown_topic'
  | 'wrong_response'
  | 'stale'
  | 'internal';

export class UnknownVerdictError extends Error {
  override readonly name = 'UnknownVerdictError';

  constructor(
    readonly reason: FailureReason,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(reason);
  }
}
