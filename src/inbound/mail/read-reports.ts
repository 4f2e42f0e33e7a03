import { setImmediate } from 'node:timers/promises';
import { classify } from '../policy/classify.js';
import { explain } from './explain.js';
import { NO_FAILURES, readFailures, type Failures } from './failures.js';
import { readFeedback } from './feedback.js';
import { openMessage, type OpenedMessage } from './opened-message.js';
import type { MailReport } from './report.js';

const RECIPIENTS_PER_TURN = 10;

/**
 * Reads what a raw message tells of recipients: bounces, complaints, unsubscribes. An answer, a read receipt, a warning
 * of delay and any ordinary mail tell nothing. Whatever the bytes, it does not throw and does not block for long.
 */
export async function readReports(raw: Uint8Array): Promise<MailReport[]> {
  const opened = await openMessage(raw);
  const feedback = readFeedback(opened);
  if (feedback.length > 0) {
    return feedback;
  }
  const { envelopeId, failures } = await failuresOf(opened);
  const reported = { ...opened.reported, envelopeId };
  const reports: MailReport[] = [];
  for (const failure of failures) {
    const { recipient } = failure;
    const told = explain(failure);
    reports.push({ recipient, ...told, ...classify(told), feedbackType: null, reported });
    if (reports.length % RECIPIENTS_PER_TURN === 0) {
      await setImmediate();
    }
  }
  return reports;
}

/** Some mail systems pass a mail server's report on inside the text of their own. */
async function failuresOf(opened: OpenedMessage): Promise<Failures> {
  return readFailures(opened) ?? readFailures(await openMessage(Buffer.from(opened.below))) ?? NO_FAILURES;
}
