import type { Response } from 'supertest';
import { PLACES } from '../../src/contacts/data/places.js';
import type { Rewrite } from '../../src/contacts/erasure/rewrites.js';
import { until } from './until.js';
import type { World } from './world.js';

export const ADA = 'ada.lovelace+1815@xn--bcher-kva.example';
/** A part of the address in all of its forms. */
export const TRACES = /lovelace|=4C=4F=56=45|4C=6F=76=65|=6C=6F=76=65/i;

/** Sends requests until the erasure has ended; meanwhile, instances learn of a block that is kept. */
export async function untilErased(world: World, send: () => Promise<Response>): Promise<Response['body']> {
  let response = await send();
  await until(async () => {
    await letInstancesLearn(world);
    response = response.status === 202 ? await send() : response;
    return response.status !== 202;
  });
  expect([response.status, response.body.status]).toEqual([200, 'completed']);
  return response.body;
}

/** Sends requests until all instances are told of the erasure, for which the time of one request may not suffice. */
export async function untilAnnounced(world: World, send: () => PromiseLike<Response>): Promise<void> {
  await until(async () => {
    const { status, body } = await send();
    expect([status, body.status]).toEqual([202, 'erasing']);
    const announced = await world.database.query(
      `SELECT FROM erasures WHERE account_id = $1 AND completed_at IS NULL AND (progress -> 'isAnnounced')::boolean`,
      [world.acme.id],
    );
    return announced.length > 0;
  });
}

/** Lets the time pass after which every instance knows which blocks are being kept. */
export async function letInstancesLearn(world: World): Promise<void> {
  await world.database.query(`UPDATE kept_blocks SET announced_at = announced_at - interval '1 minute'`);
}

/** Every row of every table, as text, except for those of other accounts. */
export async function dump(world: World): Promise<Map<string, string>> {
  const tables = await world.database.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
  );
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await world.database.query<{ text: string }>(
      `SELECT dumped_row::text AS text FROM ${name} AS dumped_row WHERE coalesce((to_jsonb(dumped_row) ->> 'account_id')::integer, $1) = $1`,
      [world.acme.id],
    );
    texts.set(name, rows.map(({ text }) => text).join('\n'));
  }
  return texts;
}

export function tracesIn(texts: Map<string, string>): string[] {
  return [...texts].flatMap(([table, text]) =>
    TRACES.test(text) ? [`${table}: ${TRACES.exec(text)![0]}`] : [],
  );
}

/** An import whose file is arriving, and has begun before everything else. */
export async function fakeImport(world: World, id = '01800000-0000-7000-8000-000000000000'): Promise<string> {
  await world.database.query(
    `INSERT INTO jobs (account_id, id, kind, status, checkpoint, leased_until)
    VALUES ($1, $2, 'import', 'uploading', '{}', now() + interval '1 hour')`,
    [world.acme.id, id],
  );
  return id;
}

/** Ends what an erasure of an address in {@link fillPlaces} waits for. */
export async function endWork(world: World): Promise<void> {
  const { id } = world.acme;
  await world.database.query(
    `UPDATE source_topics SET moved_up_to = '', moving_from = NULL WHERE account_id = $1`,
    [id],
  );
  await world.database.query('DELETE FROM job_pieces WHERE account_id = $1', [id]);
}

/** Makes the changes of a table fail until its trigger is dropped. */
export async function failAt(world: World, table: string, event: 'UPDATE' | 'DELETE'): Promise<void> {
  await world.database.query(
    `CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'failure'; END $$`,
  );
  await world.database.query(
    `CREATE TRIGGER failure BEFORE ${event} ON ${table}
    FOR EACH ROW WHEN (OLD.account_id = ${world.acme.id}) EXECUTE FUNCTION fail()`,
  );
}

export function tablesOf(rewrites: readonly Rewrite[]): string[] {
  return rewrites.map(({ place }) => place.table);
}

/** The tables from which a complete erasure deletes rows. */
export const DELETING = PLACES.filter(({ erasure }) => erasure === 'delete').map(({ table }) => table);
export const DELETED_FIRST = DELETING.filter((table) => table !== 'unsubscribe_mail_ids');

/** The tables from which every erasure deletes rows about other addresses whose keys quote the erased one. */
export const KEYED_BY_QUOTATIONS = PLACES.filter(
  ({ erasure, key, texts = [] }) => erasure === 'delete' && texts.some((column) => column in key),
).map(({ table }) => table);

export function count(text: string, part: string): number {
  return text.toLowerCase().split(part).length - 1;
}
