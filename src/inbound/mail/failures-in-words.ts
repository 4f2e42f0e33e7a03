import type { EmailAddress } from '../../email-address/email-address.js';
import { mailedFromOutside } from '../parsing/receiver-network.js';
import { clip, findAddresses } from './address-text.js';
import { readBounceText, type BounceText } from './bounce-text.js';
import { header, type Message } from './message.js';
import { addressesIn, type OpenedMessage, type ReturnedMessage } from './opened-message.js';
import type { Failure } from './mail-report.js';

const MAX_FAILED_RECIPIENTS_LENGTH = 100_000;

/**
 * Reads failures from the text. The sender's own address is never taken for a recipient, nor is the address of the reporting
 * server.
 */
export function failuresInWords({ message, lines, returned }: OpenedMessage): Failure[] {
  const text = readBounceText(lines);
  const named = failedRecipientsField(message);
  const senders = new Set([...addressesIn(message.headers, 'to', 'delivered-to'), ...returned.senders]);
  const servers = addressesIn(message.headers, 'from', 'reply-to');
  const isSender = (address: EmailAddress): boolean => senders.has(address);
  const recipients =
    named.length > 0
      ? named
      : recipientsInWords(text, returned, (address) => isSender(address) || servers.includes(address));
  const { preamble, allWords } = text;
  const mailed = (address: EmailAddress): EmailAddress => {
    const outside = mailedFromOutside(address, recipients.length === 1, returned) ?? text.mailed(address);
    return isSender(outside) ? address : outside;
  };
  return recipients
    .filter((address) => !isSender(address))
    .map((address) => ({
      recipient: mailed(address),
      status: null,
      diagnostic: null,
      words: () => text.words(address),
      preamble,
      allWords,
    }));
}

/** Exim and Gmail name the failed recipients in this field. */
export function failedRecipientsField(message: Message): EmailAddress[] {
  const fields = clip(header(message, 'x-failed-recipients'), MAX_FAILED_RECIPIENTS_LENGTH).split(',');
  return [...new Set(fields.flatMap((field) => findAddresses(field)).map(({ address }) => address))];
}

/** The addresses that failed according to the text; in doubt, the recipients of the returned message. */
function recipientsInWords(
  text: BounceText,
  { recipients }: ReturnedMessage,
  isOther: (address: EmailAddress) => boolean,
): EmailAddress[] {
  const choices = [
    text.failed.filter((address) => !isOther(address)),
    text.mentioned.filter((address) => recipients.includes(address) && !isOther(address)),
    text.aliases,
    onlyOne(recipients),
    onlyOne(text.mentioned.filter((address) => !isOther(address))),
  ];
  return choices.find((choice) => choice.length > 0) ?? [];
}

function onlyOne(addresses: EmailAddress[]): EmailAddress[] {
  return addresses.length === 1 ? addresses : [];
}
