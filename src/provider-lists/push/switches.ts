/** SQL: whether the switches of `list` let `push` be sent. What a person confirmed needs no switch. */
export const IS_ON = `CASE
    WHEN push.consent IS NOT NULL THEN true
    WHEN push.action = 'remove' THEN list.push_removals
    ELSE list.push_additions AND (push.cause <> 'unsubscribe' OR list.push_unsubscribes)
  END`;
