import { setImmediate } from 'node:timers/promises';
import { classify } from '../policy/classify.js';
import { explain, type Failure, type MailReport, type ReportedMail } from './mail-report.js';
import { NO_FAILURES, readFailures } from './failures.js';
import { readFeedback } from './feedback.js';
import { openMessage, type OpenedMessage } from './opened-message.js';

const MAX_TURN_MS = 10;
/** Mail servers accept fewer recipients of one mail. A forged report can name tens of thousands. */
const MAX_FAILURES = 1_000;

/** Reads what a raw message reports, as {@link reportsIn} does. */
export async function readReports(raw: Uint8Array): Promise<MailReport[]> {
  return reportsIn(await openMessage(raw));
}

/**
 * Reads what a message reports about recipients: bounces, complaints, unsubscribes. Automatic replies, read receipts,
 * warnings of delays and ordinary mail report nothing. Never throws, and never blocks for long.
 */
export async function reportsIn(opened: OpenedMessage): Promise<MailReport[]> {
  await setImmediate();
  const feedback = readFeedback(opened);
  return feedback.length > 0 ? feedback : readBounces(opened);
}

/** Some mail systems wrap the report of a mail server in one of their own, which names nobody. */
async function readBounces(opened: OpenedMessage): Promise<MailReport[]> {
  const failures = readFailures(opened);
  if (failures) {
    return explainEach(failures.failures, { ...opened.reported, envelopeId: failures.envelopeId });
  }
  const inner = await openMessage(Buffer.from(opened.inside));
  const { failures: wrapped, envelopeId } = readFailures(inner) ?? NO_FAILURES;
  const { reportId, reportedAt, returnPaths } = opened.reported;
  return explainEach(wrapped, {
    ...inner.reported,
    returnPaths: [...returnPaths, ...inner.reported.returnPaths],
    envelopeId,
    reportId,
    reportedAt,
  });
}

async function explainEach(failures: Failure[], reported: ReportedMail): Promise<MailReport[]> {
  const reports: MailReport[] = [];
  let turnStart = performance.now();
  for (const failure of failures.slice(0, MAX_FAILURES)) {
    const { recipient } = failure;
    const explanation = explain(failure);
    const classification = classify(explanation);
    reports.push({ recipient, ...explanation, ...classification, reported });
    if (performance.now() - turnStart > MAX_TURN_MS) {
      await setImmediate();
      turnStart = performance.now();
    }
  }
  return reports;
}
