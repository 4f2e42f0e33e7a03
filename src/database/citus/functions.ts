import { tablesIn } from './shard-text.js';
import { HOMES, TABLES } from './tables.js';
import type { Bucket } from './topology.js';

/**
 * Begins each transaction about a bucket on its node. It takes the same lock as writes through Citus: a move of a shard holds
 * this lock exclusively until all nodes know the new placement. Each statement of the function has a snapshot of its own, so
 * the placement is read after the wait for the lock.
 *
 * The first write after a move starts an epoch. Revisions and queue ids begin with the epoch, because each node has its own
 * sequence. A write waits for a move no longer than for a statement, both together.
 */
export const ENTER_BUCKET = `
CREATE OR REPLACE FUNCTION enter_bucket(bucket integer, shard bigint, writes boolean) RETURNS void
LANGUAGE plpgsql
AS $enter$
  DECLARE
    here integer;
    home_group integer;
    home_epoch bigint;
    time_limit interval;
  BEGIN
    IF pg_is_in_recovery() OR NOT EXISTS (SELECT FROM pg_dist_shard WHERE shardid = shard) THEN
      RAISE EXCEPTION 'bucket % is not on this server', bucket USING ERRCODE = 'serialization_failure';
    END IF;
    PERFORM lock_shard_metadata(5, ARRAY[shard]);
    SELECT groupid INTO here FROM pg_dist_local_group;
    IF NOT EXISTS (SELECT FROM pg_dist_placement WHERE shardid = shard AND groupid = here) THEN
      RAISE EXCEPTION 'bucket % is on another node', bucket USING ERRCODE = 'serialization_failure';
    END IF;
    IF writes THEN
      PERFORM set_config('suppressions.bucket', bucket::text, true);
      SELECT group_id, epoch INTO home_group, home_epoch FROM bucket_homes;
      IF home_group <> here THEN
        UPDATE bucket_homes SET group_id = here, epoch = epoch + 1 WHERE group_id <> here;
        SELECT group_id, epoch INTO home_group, home_epoch FROM bucket_homes;
      END IF;
      PERFORM set_config('suppressions.epoch', (home_epoch << 40)::text, true);
      time_limit := current_setting('statement_timeout');
      IF time_limit > '0' THEN
        time_limit := greatest(time_limit - (clock_timestamp() - now()), '1 ms');
        PERFORM set_config('statement_timeout', (extract(epoch FROM time_limit) * 1000)::integer::text, true);
      END IF;
    END IF;
  END
$enter$`;

/**
 * Replaces the sequences. The number of a change is greater than that of every earlier change, even if its account has moved.
 * Citus lets each node count from its group, shifted by 48 bits.
 */
export const NEXT_REVISION = `
CREATE OR REPLACE FUNCTION next_revision() RETURNS bigint
LANGUAGE plpgsql VOLATILE
AS $next$
  BEGIN
    RETURN current_setting('suppressions.epoch')::bigint + (nextval('node_revision') & ((1::bigint << 40) - 1));
  END
$next$`;

/** SQL for the definitions of the service's functions. */
export const FUNCTIONS = `
  SELECT pg_get_functiondef(pg_proc.oid) AS definition
  FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace
    AND prokind <> 'a'
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
  ORDER BY proname, pg_proc.oid`;

/** An argument that needs a cast, because a shard and its table have different record types. */
const ROW_ARGUMENT = /\b(subjects_withdrawn|withdrawing_source)\(NEW\)/g;

const IN_BUCKET = "current_setting('suppressions.bucket')";

/** Whether a function uses divided tables, but is still the version of a migration. */
export function isPlain(definition: string): boolean {
  return (
    needsShards(definition) &&
    !/CASE (?:bucket::text|current_setting\('suppressions.bucket'\))/.test(definition)
  );
}

/**
 * The definitions of all functions in a spread database. Citus creates them on all nodes, including nodes that are added later.
 *
 * @param definitions - as `pg_get_functiondef` returns them
 */
export function definitionsFor(definitions: readonly string[], buckets: readonly Bucket[]): string[] {
  return [
    ...definitions
      .filter((definition) => !/FUNCTION public\.(?:enter_bucket|next_revision)\(/.test(definition))
      .map((definition) => (isPlain(definition) ? inEachBucket(definition, buckets) : definition)),
    inEachBucket(ENTER_BUCKET.trim(), buckets, 'bucket::text'),
  ];
}

/** Whether `enter_bucket` was made for these shards, in this order: Citus may have split or replaced them. */
export function isMadeFor(definition: string, buckets: readonly Bucket[]): boolean {
  const branches = definition.split(/WHEN '\d+' THEN/).slice(1);
  return (
    branches.length === buckets.length &&
    buckets.every(({ index, names }) => branches[index]!.includes(names.insertInto(`FROM ${HOMES}`)))
  );
}

function needsShards(definition: string): boolean {
  return tablesIn(definition).some((table) => TABLES[table] !== 'local');
}

/** Rewrites the definition of a function so that it uses the shards of the current bucket instead of the tables. */
export function inEachBucket(definition: string, buckets: readonly Bucket[], bucket = IN_BUCKET): string {
  const { head, body, isQuery } = parse(definition);
  const branches = buckets.map(({ index, names }) => {
    const text = names.insertInto(body).replaceAll(ROW_ARGUMENT, '$1(ROW(NEW.*)::suppression_changes)');
    return `WHEN '${index}' THEN ${isQuery ? 'RETURN QUERY ' : ''}${text};`;
  });
  return `${head}
AS $spread$
#variable_conflict use_column
BEGIN
  CASE ${bucket}
${branches.join('\n')}
  END CASE;
  ${isQuery || /RETURNS void/i.test(head) ? '' : 'RETURN NULL;'}
END
$spread$`;
}

/** The body is a block of PL/pgSQL, or the query of a function in SQL. */
function parse(definition: string): { head: string; body: string; isQuery: boolean } {
  const atomic = /^([^]*?)\bBEGIN ATOMIC\b([^]*);\s*END\s*$/.exec(definition);
  if (atomic) {
    return { head: atomic[1]!.replace('LANGUAGE sql', 'LANGUAGE plpgsql'), body: atomic[2]!, isQuery: true };
  }
  const [, head, , body] = /^([^]*?)\bAS (\$\w*\$)([^]*)\2\s*$/.exec(definition)!;
  return { head: head!, body: body!.trim().replace(/;$/, ''), isQuery: false };
}
