const MIN = 50;
const MAX = 200;
const PART = 100;

/** The most addresses whose removals people confirm in 24 hours. */
export const MAX_CONFIRMED = MAX;

/**
 * The most removals of a run, so that a wave of lifts does not clear the list of a provider.
 *
 * @param entries - how many the provider has
 */
export function removalCap(entries: number): number {
  return Math.min(MAX, Math.max(MIN, Math.floor(entries / PART)));
}

const DAILY_CAP = `
  SELECT least(${MAX}, greatest(${MIN}, max(plan.entries) / ${PART}))
  FROM provider_lists AS list
  JOIN provider_list_plans AS plan ON plan.account_id = list.account_id AND plan.id = list.base_plan_id
  WHERE list.account_id = $1 AND list.id = $2`;

/**
 * SQL: until when a removal without a plan or a confirmation waits, because as many of them were sent within 24 hours as a run
 * may have; null if it need not wait. The other entries of an address whose first entry was sent do not wait. Parameters 1 and 2:
 * the list.
 */
export const CAPPED_UNTIL = `CASE WHEN push.action = 'remove' AND push.consent IS NULL AND push.plan_id IS NULL THEN (
  SELECT (array_agg(attempted_at ORDER BY attempted_at DESC))[(${DAILY_CAP})] + interval '24 hours'
  FROM (
    SELECT attempted_at, email
    FROM provider_list_pushes
    WHERE account_id = $1
      AND provider_list_id = $2
      AND action = 'remove'
      AND consent IS NULL
      AND plan_id IS NULL
      AND attempted_at > now() - interval '24 hours'
    ORDER BY attempted_at DESC
    LIMIT ${MAX}
  ) AS sent
  HAVING count(*) >= (${DAILY_CAP}) AND NOT bool_or(email = push.email)
) END`;
