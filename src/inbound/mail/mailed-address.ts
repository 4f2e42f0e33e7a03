import type { EmailAddress } from '../../email-address/email-address.js';
import type { BounceText } from './bounce-text.js';
import type { FailedRecipient } from './delivery-status.js';
import { failedRecipientsField } from './failures-in-words.js';
import type { OpenedMessage } from './opened-message.js';
import type { ReturnedMessage } from './returned-message.js';

/** Behind a forwarding, the address that failed is not the one that was mailed (RFC 3464, sections 2.3.1 and 2.3.2). */
export function mailedAddress(
  { original, final }: FailedRecipient,
  isOnly: boolean,
  { message, returned }: OpenedMessage,
  text: BounceText,
): EmailAddress | undefined {
  const mailed = isOnly ? provenRecipient(returned) : undefined;
  if (final === undefined) {
    return original ?? (isOnly ? failedRecipientsField(message)[0] : undefined) ?? mailed;
  }
  if (mailed === final || (original === undefined && returned.traced.has(final))) {
    return final;
  }
  return original ?? mailed ?? text.mailed(final);
}

/**
 * The trace of a post to a mailing list proves nothing: members of the list fail in its name. Nor does that of a mail
 * which is addressed to its own sender, because the readers are in Bcc.
 */
function provenRecipient({
  recipients,
  senders,
  traced,
  headers,
}: ReturnedMessage): EmailAddress | undefined {
  const isPost = headers.has('list-id') || headers.has('list-post');
  const [recipient] = recipients.filter((address) => traced.has(address) && !senders.includes(address));
  return recipients.length === 1 && !isPost ? recipient : undefined;
}
