import {
  contentKey,
  deliveryEvent,
  eventKey,
  UNPROVEN,
  type DeliveryEvent,
} from '../../parsing/delivery-event.js';
import { MalformedBodyError } from '../../parsing/errors.js';
import { openMessage } from '../../mail/opened-message.js';
import { reportsIn } from '../../mail/read-reports.js';
import { readableHead } from '../../mail/message-head.js';
import type { MailReport } from '../../mail/report.js';
import type { ReadMail, SourceSettings } from '../provider.js';
import type { Classification } from '../../policy/classify.js';
import { originOf, UNPROVEN_REPORTS } from './origin.js';

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
 * The key contains the proof, so that a forgery does not block the genuine report, and a report can be handed over again after
 * the source was configured to believe it.
 */
function toEvent(report: MailReport, messageKey: string, source: SourceSettings): DeliveryEvent {
  const { recipient, status, diagnostic, reported } = report;
  const { emailId, isProven } = originOf(report, source);
  const isBelieved = isProven || UNPROVEN_REPORTS.of(source.options) === 'allow';
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
