import type { Request } from 'express';
import { clientNetworkOf, truncateAddress } from '../http/requests/client-address.js';
import type { ChangeActor } from '../ledger/actor.js';
import type { RecipientEvidence } from '../ledger/evidence.js';
import type { Link } from './link.js';

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

/** @param trustsProxies - see {@link clientNetworkOf} */
export function clientOf(
  request: Request,
  trustsProxies: boolean,
): Pick<RecipientEvidence, 'user_agent' | 'client_address'> {
  const isKnown = clientNetworkOf(request, trustsProxies) !== undefined;
  return {
    user_agent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    client_address: isKnown && request.ip !== undefined ? truncateAddress(request.ip) : null,
  };
}
