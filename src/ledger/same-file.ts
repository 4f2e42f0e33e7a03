/**
 * Whether two imports are of the same file. Importing a file again, after a double click or a lost response, confirms nothing.
 *
 * @param earlier - SQL for the id of an import, or null
 * @param later - SQL for the id of another one, or of another actor
 */
export function isSameFile(earlier: string, later: string): string {
  return `EXISTS (
    SELECT FROM imports AS earlier_import
    JOIN imports AS later_import USING (account_id, file_hash)
    WHERE earlier_import.account_id = $1 AND earlier_import.id = ${earlier} AND later_import.id = ${later}
  )`;
}
