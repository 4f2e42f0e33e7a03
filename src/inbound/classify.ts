export type Verdict = 'suppress' | 'watch' | 'ignore';

export interface Classification {
  verdict: Verdict;
  reason: string;
}

/** Judges a bounce by its enhanced status code alone (RFC 3463). */
export function classify(bounce: { status?: string | null; diagnostic?: string | null }): Classification {
  const { status, diagnostic } = bounce;
  const code = status ?? /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(diagnostic ?? '')?.[0] ?? '';
  if (code === '5.1.1') {
    return { verdict: 'suppress', reason: 'The mailbox does not exist.' };
  }
  return code.startsWith('5.7.')
    ? { verdict: 'ignore', reason: 'The message was refused by policy.' }
    : { verdict: 'watch', reason: 'It may be temporary.' };
}
