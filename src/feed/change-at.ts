/** SQL for the id of the change at a position in the feed of an account, null if no change has the position. */
export function changeAt(accountId: string, position: string): string {
  return `(
    SELECT change_ids[${position} - first_position + 1]
    FROM feed_pages
    WHERE feed_pages.account_id = ${accountId} AND first_position <= ${position}
    ORDER BY first_position DESC
    LIMIT 1
  )`;
}
