import type { EntityManager } from 'typeorm';
import { v5 as uuidv5 } from 'uuid';
import { differencesBetween, recordAudit } from '../../audit/record-audit.js';
import type { Identity } from '../../audit/request-context.js';
import { randomUrlId } from './new-source.js';
import { POSTED_EVENTS } from '../../audit/actor.js';
import { Source } from './source.entity.js';

/** Concurrent requests derive the same id from it, so that they create one source. */
const POSTED_EVENTS_NAMESPACE = '0b1a3f1e-6c55-4b6e-9d0a-5f6f0f3f8a51';

export function postedEventsSourceId(accountId: number): string {
  return uuidv5(String(accountId), POSTED_EVENTS_NAMESPACE);
}

/** Creates the source of the events that the account's own mailers post, unless it exists. */
export async function createPostedEventsSource(
  transaction: EntityManager,
  identity: Identity,
): Promise<void> {
  const source = {
    id: postedEventsSourceId(identity.accountId),
    name: POSTED_EVENTS,
    provider: POSTED_EVENTS,
  } as const;
  const { raw } = await transaction
    .createQueryBuilder()
    .insert()
    .into(Source)
    .values({ ...source, accountId: identity.accountId, urlId: randomUrlId(), secrets: {}, options: {} })
    .orIgnore()
    .returning('id')
    .execute();
  if ((raw as object[]).length > 0) {
    const changes = differencesBetween({}, { provider: POSTED_EVENTS, options: {} });
    await recordAudit(transaction, identity, 'source.created', source, changes);
  }
}
