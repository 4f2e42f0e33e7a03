import type { IncomingHttpHeaders } from 'node:http';
import {
  contentKey,
  deliveryEvent,
  eventKey,
  UNPROVEN,
  type DeliveryEvent,
} from '../../parsing/delivery-event.js';
import { MalformedBodyError } from '../../parsing/errors.js';
import { readReports } from '../../mail/read-reports.js';
import { readableHead } from '../../mail/readable-head.js';
import type { MailReport } from '../../mail/report.js';
import type { SourceSettings } from '../provider.js';
import type { Classification } from '../../policy/classify.js';
import { UNPROVEN_REPORTS } from './options.js';
import { originOf } from './origin.js';

/** One message, with a report on each of any number of recipients; mail that reports nothing has no event. */
export async function readMail(
  body: unknown,
  _headers: IncomingHttpHeaders,
  source: SourceSettings,
): Promise<DeliveryEvent[]> {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new MalformedBodyError('it must be a message');
  }
  const reports = await readReports(body);
  const [first] = reports;
  const messageKey = first?.reported.reportId ?? (first && hashOf(body));
  return reports.map((report) => toEvent(report, messageKey!, source));
}

/**
 * The proof is a part of the key: a forgery that comes first must not stand in the way of the true report, and what a
 * source learns to believe later may be handed over again.
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

/** Of the part that is read, however the lines end. */
function hashOf(message: Buffer): string {
  return contentKey(Buffer.from(readableHead(message).bytes).toString('latin1'));
}
