import type { DataSource } from 'typeorm';
import type { RequestContext } from '../audit/request-context.js';
import { PreparedStatement } from '../database/prepared-statement.js';

/** Few enough deliveries for the time limit of a statement. */
const DELETE_SOME = new PreparedStatement<{ id: string }>(
  'delete-some-deliveries',
  `DELETE FROM webhook_deliveries
  WHERE account_id = $1
    AND webhook_id = $2
    AND id = ANY (ARRAY (SELECT id FROM webhook_deliveries WHERE account_id = $1 AND webhook_id = $2 LIMIT 5000))
  RETURNING id`,
);

/**
 * Deletes the deliveries of a webhook in batches.
 *
 * @throws {DeadlineExceededError} some deliveries are deleted; calling it again continues
 */
export async function deleteDeliveries(
  dataSource: DataSource,
  { accountId, deadline }: Omit<RequestContext, 'actor'>,
  webhookId: string,
): Promise<void> {
  let deleted: { id: string }[];
  do {
    deleted = await DELETE_SOME.write(dataSource, { deadline }, [accountId, webhookId]);
  } while (deleted.length > 0);
}
