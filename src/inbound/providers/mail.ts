import { readableHead } from '../mail/message-head.js';
import { openMessage } from '../mail/opened-message.js';
import { reportsIn } from '../mail/read-reports.js';
import type { MailReport } from '../mail/mail-report.js';
import { UNPROVEN, type DeliveryEvent } from '../parsing/delivery-event.js';
import { MalformedBodyError } from '../parsing/json.js';
import { contentKey, deliveryEvent, eventKey } from '../parsing/report.js';
import type { Classification } from '../policy/classify.js';
import { MESSAGE_ID_DOMAINS, originOf, RETURN_PATH_KEY, UNPROVEN_REPORTS } from './mail-origin.js';
import { CREDENTIAL, hardToGuess, verifyCredential } from './proof.js';
import { EMAIL_ID_FIELD, type MailProvider, type ReadMail, type SourceSettings } from './provider.js';

const NO_LIST = {
  none: 'If your mail server relays through a provider, the provider may still have this address on a list of its own: remove it there.',
};

/** A mail server of the operator, which hands over the bounces and feedback reports that it receives. */
export const mail = {
  name: 'mail',
  secrets: [
    ...CREDENTIAL,
    {
      name: RETURN_PATH_KEY,
      description:
        'The key that signs return paths: "source verp" prints a signed one, and docs/providers/mail.md has the formula.',
      generatedBy: 'service',
      problemWith: hardToGuess(RETURN_PATH_KEY),
    },
  ],
  options: [EMAIL_ID_FIELD, MESSAGE_ID_DOMAINS, UNPROVEN_REPORTS],
  setup: [
    'Send mail with a return path that is signed with the return_path_key: "source verp" prints one for any UUID of an email.',
    'On the mail server that receives bounces and feedback reports, pipe each message to curl, and let curl post it to this URL.',
    'Give curl the username and the password of this source in a file. Let the mail server try again when curl fails.',
  ],
  suppressionLists: { bounce: NO_LIST, complaint: NO_LIST, unsubscribe: NO_LIST, manual: NO_LIST },
  takesMail: true,
  verify: verifyCredential,
  readMail,
} as const satisfies MailProvider;

/** One message, which can report on any number of recipients. Other mail has no event. */
export async function readMail(message: Buffer, source: SourceSettings): Promise<ReadMail> {
  if (message.length === 0) {
    throw new MalformedBodyError('it must be a message');
  }
  const opened = await openMessage(message);
  const reports = await reportsIn(opened);
  const [first] = reports;
  const messageKey = first?.reported.reportId ?? (first && hashOf(message));
  return {
    events: reports.map((report) => toEvent(report, messageKey!, source)),
    sentTo: opened.sentTo,
  };
}

/**
 * The key of the event includes whether the report is proven, so that a forgery does not block the genuine report, and a report
 * can be ingested again after the source was configured to accept it.
 */
function toEvent(report: MailReport, messageKey: string, source: SourceSettings): DeliveryEvent {
  const { recipient, status, diagnostic, reported } = report;
  const { emailId, isProven } = originOf(report, source);
  const isBelieved = isProven || source.options.unproven === 'allow';
  const { kind, effect, reason } = isBelieved ? report : unproven(report);
  return deliveryEvent({
    key: eventKey(isBelieved ? 'believed' : 'unproven', kind, messageKey, recipient ?? '-'),
    recipient: recipient ?? undefined,
    emailId,
    rawMessageId: reported.messageId ?? reported.envelopeId,
    occurredAt: reported.reportedAt,
    status,
    diagnostic,
    kind,
    effect,
    reason,
  });
}

function unproven({ kind, effect, reason }: Classification): Classification {
  return { kind, effect: 'none', reason: effect === 'none' ? reason : `${UNPROVEN}${reason}` };
}

function hashOf(message: Buffer): string {
  return contentKey(Buffer.from(readableHead(message).bytes).toString('latin1'));
}
