import { domainOf, localPartOf, type EmailAddress } from '../../email-address/email-address.js';

/** The recipients and the senders of a message. */
export interface Addressing {
  recipients: readonly EmailAddress[];
  senders: readonly EmailAddress[];
  /** The envelope recipient that the sender's own server noted, if it did. */
  submittedFor?: EmailAddress | undefined;
}

/** Names that no public DNS has: RFC 6762 (appendix G), RFC 8375, and ICANN's `internal`. */
const PRIVATE_DOMAIN =
  /^[^.]+$|^\[|\.(?:local|localdomain|localhost|internal|intranet|lan|corp|home|private|arpa)$/;

/** Returns the recipient of the message whose mail system an address belongs to; undefined if it cannot be determined. */
export function mailedFromOutside(
  address: EmailAddress,
  isOnly: boolean,
  { recipients, senders, submittedFor }: Addressing,
): EmailAddress | undefined {
  if (recipients.includes(address)) {
    return undefined;
  }
  const [first] = recipients;
  const sameName = `${localPartOf(address)}@`;
  const choices =
    isOnly && recipients.length === 1 && !senders.some((sender) => domainOf(sender) === domainOf(first!))
      ? recipients
      : recipients.filter((recipient) => recipient.startsWith(sameName));
  const candidates = choices.filter(
    (recipient) =>
      address !== submittedFor &&
      !senders.includes(recipient) &&
      isInside(domainOf(address), domainOf(recipient)),
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
