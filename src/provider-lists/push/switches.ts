/**
 * SQL: whether the switches of `list` let `push` be sent, and its plan was not discarded. What a person confirmed needs neither.
 */
export const IS_ON = `CASE
    WHEN push.consent IS NOT NULL THEN true
    WHEN push.plan_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM provider_list_plans WHERE account_id = push.account_id AND id = push.plan_id AND deleted_at IS NULL
    ) THEN false
    WHEN push.action = 'remove' THEN list.push_removals
    ELSE list.push_additions AND (push.cause <> 'unsubscribe' OR list.push_unsubscribes)
  END`;
