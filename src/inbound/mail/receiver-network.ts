import type { EmailAddress } from '../../email-address/email-address.js';
import type { ReturnedMessage } from './returned-message.js';

/** Names that no public DNS has: RFC 6762 (appendix G), RFC 8375, and ICANN's `internal`. */
const PRIVATE_DOMAIN =
  /^[^.]+$|^\[|\.(?:local|localdomain|localhost|internal|intranet|lan|corp|home|private|arpa)$/;

/**
 * The recipient of the returned message to whose mail system an address belongs; undefined if that is none, or in doubt.
 */
export function mailedFromOutside(
  address: EmailAddress,
  isOnly: boolean,
  { recipients, senders, submittedFor }: ReturnedMessage,
): EmailAddress | undefined {
  const isSame = (recipient: EmailAddress): boolean => localPartOf(recipient) === localPartOf(address);
  const own = new Set(senders.map(domainOf));
  const candidates = recipients.filter(
    (recipient) =>
      address !== recipient &&
      address !== submittedFor &&
      !senders.includes(recipient) &&
      isInside(domainOf(address), domainOf(recipient)) &&
      (isSame(recipient) || (isOnly && recipients.length === 1 && !own.has(domainOf(recipient)))),
  );
  return candidates.length === 1 ? candidates[0] : undefined;
}

function isInside(domain: string, mailed: string): boolean {
  return (
    PRIVATE_DOMAIN.test(domain) ||
    domain.endsWith(`.${mailed}`) ||
    mailed.endsWith(`.${domain}`) ||
    (parentOf(domain) === parentOf(mailed) && isOrganization(parentOf(domain)))
  );
}

/** `example.com`, unlike `com` or `co.uk`: a registry's second level is short. */
function isOrganization(domain: string): boolean {
  const labels = domain.split('.');
  return labels.length > 2 || (labels.length === 2 && labels[0]!.length > 3);
}

function parentOf(domain: string): string {
  return domain.slice(domain.indexOf('.') + 1);
}

export function domainOf(address: EmailAddress): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function localPartOf(address: EmailAddress): string {
  return address.slice(0, address.lastIndexOf('@'));
}
