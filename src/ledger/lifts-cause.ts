import { isNotRevert } from './evidence.js';

/**
 * SQL condition: a line of the ledger lifted a cause. The removal of a record lifts the causes that it had, and every
 * earlier bounce and manual entry. It does not lift a complaint or an unsubscribe that was not known then, because it came
 * from the recipient. The first parameter of the statement is the account.
 *
 * @param line - an alias of `suppression_changes`
 * @param cause - SQL of a `suppression_cause`
 */
export function liftsCause(line: string, cause: string): string {
  return `${line}.action IN ('removed', 'cause_removed')
    AND ${isNotRevert(line)}
    AND CASE
      WHEN ${line}.cause = ${cause} THEN true
      WHEN ${line}.action = 'cause_removed' THEN false
      ELSE ${cause} < 'unsubscribe' OR EXISTS (
        SELECT FROM suppression_changes AS added
        WHERE added.account_id = $1
          AND added.email = ${line}.email
          AND added.suppression_id = ${line}.suppression_id
          AND added.cause = ${cause}
          AND added.action IN ('added', 'strengthened', 'cause_added')
      )
    END`;
}
