import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, causesIn } from '../../ledger/cause.js';
import { AdditionsService } from '../../suppressions/additions/additions.service.js';
import { RECORD_CAUSES } from '../../suppressions/suppression.entity.js';
import { contactIdOf } from '../../topics/contact.js';
import { PreferencesRepository } from '../../topics/preferences.repository.js';
import type { Erasure } from './erasure.entity.js';

interface Stray {
  record: { id: string; causes: number; email_id: string | null; expires_at: string | null } | null;
  /** The topics that the address has opted out of. */
  opt_outs: string[];
}

/**
 * Deletes rows that may exist only once, but exist under both names of an address. The row with the address is deleted. Of two
 * rules, the one that blocks, or blocks longer, is kept.
 */
const DELETE = new PreparedStatement<{ stray: Stray }>(
  'delete-strays-of-erased-address',
  `WITH record AS (
    DELETE FROM suppressions
    WHERE account_id = $1 AND email = $2
      AND EXISTS (SELECT FROM suppressions AS kept WHERE kept.account_id = $1 AND kept.email = $3)
    RETURNING id, ${RECORD_CAUSES} AS causes, email_id, expires_at
  ),
  choice AS (
    DELETE FROM topic_preferences AS stray
    USING topic_preferences AS kept
    WHERE stray.account_id = $1 AND stray.email = $2
      AND kept.account_id = $1 AND kept.email = $3 AND kept.topic_id = stray.topic_id
    RETURNING stray.topic_id, stray.subscription
  ),
  contact AS (
    DELETE FROM contacts
    WHERE account_id = $1 AND id = $4
      AND EXISTS (SELECT FROM contacts AS kept WHERE kept.account_id = $1 AND kept.id = $5)
  ),
  withdrawal AS (
    DELETE FROM withdrawals AS stray
    USING withdrawals AS kept
    WHERE stray.account_id = $1 AND stray.email = $2
      AND kept.account_id = $1 AND kept.email = $3 AND kept.subject = stray.subject AND kept.source_id = stray.source_id
    RETURNING stray.subject, stray.source_id, stray.withdrawn_at
  ),
  later AS (
    UPDATE withdrawals AS kept
    SET withdrawn_at = withdrawal.withdrawn_at
    FROM withdrawal
    WHERE kept.account_id = $1 AND kept.email = $3 AND kept.subject = withdrawal.subject
      AND kept.source_id = withdrawal.source_id AND kept.withdrawn_at < withdrawal.withdrawn_at
  ),
  rule AS (
    DELETE FROM rules
    USING (
      SELECT CASE
        WHEN (stray.effect, coalesce(stray.expires_at, 'infinity')) > (kept.effect, coalesce(kept.expires_at, 'infinity')) THEN kept.id
        ELSE stray.id
      END AS id
      FROM rules AS stray
      JOIN rules AS kept ON kept.account_id = $1 AND kept.pattern = $3 AND kept.topic_id IS NOT DISTINCT FROM stray.topic_id
      WHERE stray.account_id = $1 AND stray.pattern = $2
    ) AS weaker
    WHERE rules.account_id = $1 AND rules.id = weaker.id
    RETURNING rules.id, effect, topic_id, expires_at, note
  ),
  recorded AS (
    INSERT INTO rule_changes (account_id, action, effect, actor_type, actor_id, actor_name, rule_id, topic_id, expires_at, pattern, note)
    SELECT $1, 'deleted', effect, $6, $7, $8, id, topic_id, expires_at, $3, note
    FROM rule
  ),
  lift_line AS (
    DELETE FROM lift_lines AS stray
    USING lift_lines AS kept
    WHERE stray.account_id = $1 AND stray.email = $2
      AND kept.account_id = $1 AND kept.email = $3 AND kept.lift_id = stray.lift_id
  )
  SELECT jsonb_build_object(
    'record', (SELECT to_jsonb(record) FROM record),
    'opt_outs', coalesce((SELECT jsonb_agg(topic_id) FROM choice WHERE subscription = 'opt_out'), '[]')
  ) AS stray`,
);

/** Rows with an address whose pseudonym already exists, because the address was stored again. */
@Injectable()
export class Strays {
  constructor(
    private readonly additions: AdditionsService,
    private readonly preferences: PreferencesRepository,
  ) {}

  /**
   * Merges rows that exist under both names into those with the pseudonym. Nothing that blocks the address is lost.
   *
   * @returns the id of the deleted record, which followers must forget; null if there was none
   */
  async merge(
    transaction: EntityManager,
    { accountId, id, actor, pseudonym }: Erasure,
    email: EmailAddress,
  ): Promise<string | null> {
    const contactIds = [contactIdOf(accountId, email), contactIdOf(accountId, pseudonym)];
    const { type, id: actorId, name } = actor;
    const parameters = [accountId, email, pseudonym, ...contactIds, type, actorId, name];
    const [{ stray }] = (await DELETE.run(transaction, parameters)) as [{ stray: Stray }];
    const identity = { accountId, actor: { ...actor, evidence: { erasure: id } } };
    const unknown = { email: pseudonym, emailId: null, occurredAt: null, eventId: null, note: null };
    const { causes, email_id, expires_at } = stray.record ?? { causes: 0, email_id: null, expires_at: null };
    for (const [index, cause] of causesIn(causes).entries()) {
      const expiresAt = expires_at !== null && canExpire(cause) ? new Date(expires_at) : null;
      const addition = { ...unknown, cause, emailId: index === 0 ? email_id : null, expiresAt };
      await this.additions.suppress(identity, [addition], transaction);
    }
    if (stray.opt_outs.length > 0) {
      const choices = stray.opt_outs.map((topicId) => ({
        ...unknown,
        topicId,
        subscription: 'opt_out' as const,
      }));
      await this.preferences.set(identity, choices, { via: 'api', optIns: 'any' }, transaction);
    }
    return stray.record && stray.record.id;
  }
}
