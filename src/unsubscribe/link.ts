import type { Request } from 'express';
import type { EmailAddress } from '../email-address/email-address.js';
import { clientNetworkOf, truncateAddress } from '../http/server/network-addresses.js';
import type { ChangeActor, RecipientEvidence } from '../ledger/evidence.js';
import type { Topic } from '../topics/topic.entity.js';

/** A link in a message, or the address of a `mailto:` link. */
export interface Link {
  accountId: number;
  /** The address as it is stored: see `StoredNames`. */
  email: EmailAddress;
  /** The address that the message was sent to, unless only its pseudonym is known. */
  recipient: EmailAddress;
  /** The topic, possibly archived. Null if the link unsubscribes from everything. */
  topic: Topic | null;
  emailId: string | null;
  /** SHA-256 of the token, in hexadecimal. */
  tokenHash: string;
}

const MAX_USER_AGENT_LENGTH = 500;

/** The recipient as the actor of a change, with the proof that the recipient made it. */
export function recipientOf(
  { tokenHash }: Pick<Link, 'tokenHash'>,
  via: RecipientEvidence['via'],
  client: Pick<RecipientEvidence, 'user_agent' | 'client_address'> = {
    user_agent: null,
    client_address: null,
  },
): ChangeActor {
  return {
    type: 'recipient',
    id: null,
    name: 'recipient',
    evidence: { via, token_hash: tokenHash, ...client },
  };
}

export function clientOf(request: Request): Pick<RecipientEvidence, 'user_agent' | 'client_address'> {
  const isKnown = clientNetworkOf(request) !== undefined;
  return {
    user_agent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    client_address: isKnown && request.ip !== undefined ? truncateAddress(request.ip) : null,
  };
}
