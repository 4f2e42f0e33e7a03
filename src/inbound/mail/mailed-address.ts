import type { EmailAddress } from '../../email-address/email-address.js';
import type { BounceText } from './bounce-text.js';
import type { FailedRecipient } from './delivery-status.js';
import { failedRecipientsField } from './failures-in-words.js';
import type { OpenedMessage } from './opened-message.js';
import { domainOf, mailedFromOutside } from '../parsing/receiver-network.js';
import type { ReturnedMessage } from './returned-message.js';

/**
 * Behind a forwarding, or inside the receiver's network, the address that failed is not the one that was mailed (RFC
 * 3464, sections 2.3.1 and 2.3.2). A server that repeats it as the original recipient was not told any other.
 */
export function mailedAddress(
  { original, final }: FailedRecipient,
  isOnly: boolean,
  { message, returned }: OpenedMessage,
  text: BounceText,
): EmailAddress | undefined {
  const proven = isOnly ? provenRecipient(returned) : undefined;
  if (final === undefined) {
    return original ?? (isOnly ? failedRecipientsField(message)[0] : undefined) ?? proven;
  }
  const named = proven === final ? final : (original ?? final);
  const outside = isPost(returned) ? undefined : mailedFromOutside(named, isOnly, returned);
  if (outside || named !== final) {
    return outside ?? named;
  }
  if (!returned.traced.has(final)) {
    return proven ?? text.mailed(final);
  }
  return proven && wasSubmittedFor(proven, returned) ? proven : final;
}

/** An address of the sender's own domain that was expanded is a list, whose members fail in its name. */
function wasSubmittedFor(address: EmailAddress, { submittedFor, senders }: ReturnedMessage): boolean {
  return address === submittedFor && senders.every((sender) => domainOf(sender) !== domainOf(address));
}

/**
 * The trace of a post to a mailing list proves nothing: members of the list fail in its name. Nor does that of a mail
 * which is addressed to its own sender, because the readers are in Bcc.
 */
function provenRecipient(returned: ReturnedMessage): EmailAddress | undefined {
  const { recipients, senders, traced } = returned;
  const [recipient] = recipients.filter((address) => traced.has(address) && !senders.includes(address));
  return recipients.length === 1 && !isPost(returned) ? recipient : undefined;
}

function isPost({ headers }: ReturnedMessage): boolean {
  return headers.has('list-id') || headers.has('list-post');
}
