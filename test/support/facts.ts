import { randomUUID } from 'node:crypto';
import { postResend, postWithCredential, readList, sparkpostBatch, type TestSource } from './sources.js';
import type { World } from './world.js';

export type Fact = 'bounce' | 'complaint' | 'manual' | 'unsubscribe' | 'resubscribe' | 'removed' | 'listed';

/** Reports a fact about an address as Resend does. */
export async function reportByResend(
  world: World,
  source: TestSource,
  fact: Fact,
  email: string,
  at = new Date(),
): Promise<void> {
  const { status } = await postResend(world, source, resendEvent(fact, email, at));
  expect(status).toBe(200);
}

function resendEvent(fact: Fact, email: string, at: Date) {
  const created_at = at.toISOString();
  switch (fact) {
    case 'unsubscribe':
    case 'resubscribe':
      return {
        type: 'contact.updated',
        created_at,
        data: { email, unsubscribed: fact === 'unsubscribe', updated_at: created_at },
      };
    case 'removed':
      return { type: 'suppression.removed', created_at, data: { email } };
    case 'listed':
      return { type: 'email.suppressed', created_at, data: { email_id: randomUUID(), to: [email] } };
    default:
      return {
        type: 'suppression.added',
        created_at,
        data: { email, origin: fact, source_id: randomUUID() },
      };
  }
}

/** Reports a change of a subscription as Postmark does, without the name of a message stream. */
export async function reportByPostmark(
  world: World,
  source: TestSource,
  fact: Fact,
  email: string,
  { at = new Date() } = {},
): Promise<void> {
  const reasons = new Map([
    ['bounce', 'HardBounce'],
    ['complaint', 'SpamComplaint'],
  ]);
  const { status } = await postWithCredential(world, source, {
    RecordType: 'SubscriptionChange',
    MessageID: randomUUID(),
    Recipient: email,
    Origin: fact === 'manual' ? 'Admin' : 'Recipient',
    SuppressSending: fact !== 'resubscribe',
    SuppressionReason: fact === 'resubscribe' ? null : (reasons.get(fact) ?? 'ManualSuppression'),
    ChangedAt: at.toISOString(),
  });
  expect(status).toBe(200);
}

/** Reports a soft bounce as SparkPost does. */
export async function reportSoftFailure(
  world: World,
  source: TestSource,
  email: string,
  daysAgo = 0,
  fields = {},
): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000) - daysAgo * 86_400);
  const event = { type: 'bounce', bounce_class: '22', raw_reason: '452 mailbox full', raw_rcpt_to: email };
  const batch = sparkpostBatch([{ ...event, timestamp, ...fields }]);
  expect((await postWithCredential(world, source, batch)).status).toBe(200);
}

/** The record that an address has on any list. */
export async function findRecord(world: World, email: string) {
  return (await readList(world)).find((row) => row.email === email);
}
