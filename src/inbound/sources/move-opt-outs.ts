import { In, MoreThan, type EntityManager } from 'typeorm';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { PreferencesRepository } from '../../topics/preferences.repository.js';
import { TopicPreference } from '../../topics/topic-preference.entity.js';
import type { Source } from './source.entity.js';

const OPT_OUTS_AT_ONCE = 1_000;

/** Opts the recipients who left a topic out of another one. A recipient who joined that one later stays in it. */
export async function moveOptOuts(
  preferences: PreferencesRepository,
  { accountId, id, name }: Source,
  from: string,
  to: string,
  transaction: EntityManager,
): Promise<void> {
  const actor = { type: 'source', id, name } as const;
  let some: TopicPreference[];
  let last = '';
  do {
    some = await transaction.find(TopicPreference, {
      where: { accountId, topicId: from, subscription: 'opt_out', email: MoreThan(last as EmailAddress) },
      order: { email: 'ASC' },
      take: OPT_OUTS_AT_ONCE,
    });
    const optIns = await transaction.findBy(TopicPreference, {
      accountId,
      topicId: to,
      subscription: 'opt_in',
      email: In(some.map((one) => one.email)),
    });
    const optInTimes = new Map(optIns.map((one) => [one.email, one.updatedAt]));
    const moved = some.filter((one) => !((optInTimes.get(one.email) ?? 0) > one.updatedAt));
    const choices = moved.map((one) => ({
      email: one.email,
      topicId: to,
      subscription: 'opt_out' as const,
      emailId: one.emailId,
      occurredAt: null,
      eventId: null,
      note: 'The source was mapped to this topic.',
    }));
    await preferences.set(accountId, actor, 'source', choices, transaction);
    last = some.at(-1)?.email ?? last;
  } while (some.length === OPT_OUTS_AT_ONCE);
}
