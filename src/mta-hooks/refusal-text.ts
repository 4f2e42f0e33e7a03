/** What suppresses an address: the id of the suppression, the topic, or the rule. */
export interface Reason {
  cause: string;
  id: string;
}

/** The same as in `POST /suppressions/check`. */
interface DecidedBy {
  type: string;
  id: string;
  cause?: string;
}

const WORDS: Readonly<Record<string, string>> = {
  preference: 'opted out of the topic',
  topic_default: 'not opted in to the topic',
};

export function reasonOf({ type, id, cause = type }: DecidedBy): Reason {
  return { cause, id };
}

/** The text of an SMTP reply, with the enhanced status code for a policy on the sender's side (RFC 3463, section 3.8). */
export function refusalText({ cause, id }: Reason): string {
  return `5.7.1 Recipient suppressed: ${WORDS[cause] ?? cause} (${id})`;
}
