import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';

/** PostgreSQL 18 lists NOT NULL as constraints, too; a column that is NOT NULL says so. */
const DESCRIBE = `
  WITH schema AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
  SELECT 'table ' || relname AS object,
    concat_ws(' ', 'column', attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END,
      nullif(attidentity, ''), nullif(attgenerated, ''), pg_get_expr(adbin, adrelid, true)) AS line
  FROM schema
  JOIN pg_class ON relnamespace = schema.oid
  JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relkind IN ('r', 'p')
  UNION ALL
  SELECT 'table ' || relname, concat_ws(' ', 'constraint', conname, pg_get_constraintdef(pg_constraint.oid, true))
  FROM schema
  JOIN pg_class ON relnamespace = schema.oid
  JOIN pg_constraint ON conrelid = pg_class.oid
  WHERE contype <> 'n'
  UNION ALL
  SELECT 'table ' || relname, pg_get_triggerdef(pg_trigger.oid, true)
  FROM schema
  JOIN pg_class ON relnamespace = schema.oid
  JOIN pg_trigger ON tgrelid = pg_class.oid
  WHERE NOT tgisinternal
  UNION ALL
  SELECT 'index ' || relname, concat_ws(' ', pg_get_indexdef(indexrelid, 0, true), indisvalid)
  FROM schema
  JOIN pg_class ON relnamespace = schema.oid
  JOIN pg_index ON indexrelid = pg_class.oid
  WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
  UNION ALL
  SELECT 'function ' || proname || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')',
    concat_ws(' ', pg_get_function_result(pg_proc.oid), provolatile, proisstrict, proparallel, coalesce(pg_get_function_sqlbody(pg_proc.oid), prosrc))
  FROM schema
  JOIN pg_proc ON pronamespace = schema.oid
  UNION ALL
  SELECT 'type ' || typname, concat_ws(' ', rank() OVER (PARTITION BY typname ORDER BY enumsortorder), enumlabel)
  FROM schema
  JOIN pg_type ON typnamespace = schema.oid
  JOIN pg_enum ON enumtypid = pg_type.oid
`;

/** @returns short hashes of the definitions, by the names of the objects; equal on all versions of PostgreSQL */
export async function describeSchema(dataSource: DataSource): Promise<Record<string, string>> {
  const lines = new Map<string, string[]>();
  for (const { object, line } of await dataSource.query<{ object: string; line: string }[]>(DESCRIBE)) {
    lines.set(object, [...(lines.get(object) ?? []), line]);
  }
  return Object.fromEntries([...lines].map(([object, definition]) => [object, hash(definition)]));
}

function hash(definition: string[]): string {
  const sorted = JSON.stringify(definition.sort());
  return createHash('sha256').update(sorted).digest('hex').slice(0, 16);
}
