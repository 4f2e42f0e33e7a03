import { v7 as uuidv7 } from 'uuid';
import { domainToUnicode } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Place } from '../../src/contacts/data/place.js';
import { PLACES } from '../../src/contacts/data/places.js';
import { createSource } from './sources.js';
import type { World } from './world.js';

type Values = Record<string, unknown>;

/** What rows of an account refer to. */
interface Parents {
  source_id: string;
  topic_id: string;
  webhook_id: string;
  job_id: string;
  import_id: string;
  lift_id: string;
  plan_id: string;
}

/** An address that no row of {@link fillPlaces} is to be found by. */
export const OTHER = 'grace@example.org';

let counter = 0;

/** The columns of a row that need a value, by table. A new table of the catalog needs an entry. */
const ROWS: Record<string, (parents: Parents, subject: string) => Values> = {
  suppressions: () => ({ created_at: new Date(), cause: 'manual', id: uuidv7() }),
  suppression_changes: () => ({
    action: 'added',
    cause: 'manual',
    actor_type: 'system',
    actor_name: 'test',
    suppression_id: uuidv7(),
  }),
  withdrawals: () => ({ withdrawn_at: new Date(), source_id: uuidv7(), subject: 'manual' }),
  topic_preferences: ({ topic_id }) => ({
    topic_id,
    subscription: 'opt_out',
    via: 'api',
    contact_id: uuidv7(),
  }),
  contacts: () => ({ created_at: new Date(), id: uuidv7() }),
  delivery_events: ({ source_id }) => ({
    source_id,
    received_at: new Date(),
    kind: 'bounce',
    effect: 'none',
    outcome: 'nothing',
    key: uuidv7(),
    reason: 'test',
  }),
  rules: () => ({ effect: 'block' }),
  rule_changes: () => ({
    action: 'created',
    effect: 'block',
    actor_type: 'system',
    actor_name: 'test',
    rule_id: uuidv7(),
  }),
  unsubscribe_mail_ids: () => ({ id: uuidv7() }),
  source_topics: ({ source_id, topic_id }) => ({
    source_id,
    topic_id,
    unit_kind: 'group',
    unit_name: `unit ${counter++}`,
    is_mapped: true,
    moving_from: topic_id,
  }),
  imports: ({ job_id }) => ({
    id: job_id,
    default_cause: 'manual',
    dry_run: false,
    plan: {},
    created_by: {},
  }),
  import_errors: ({ import_id }) => ({ import_id, row: counter++, line: 1, code: 'test', value: 'test' }),
  jobs: () => ({ id: uuidv7(), kind: 'import', status: 'completed', checkpoint: {} }),
  job_pieces: ({ import_id }) => ({ job_id: import_id, number: 0 }),
  lifts: ({ job_id }) => ({ id: job_id, cause: 'bounce', query: {}, created_by: {} }),
  lift_lines: ({ lift_id }) => ({ lift_id, number: counter++, revision: 1, change_id: uuidv7() }),
  lift_totals: ({ lift_id }) => ({ lift_id, count: 1, grouping: 'diagnostic', key: 'test' }),
  provider_list_entries: ({ plan_id }, subject) => ({
    plan_id,
    list: 'bounces',
    address: subject,
    is_gone: false,
  }),
  provider_list_lines: ({ plan_id }, subject) => ({
    plan_id,
    kind: 'pull',
    list: 'bounces',
    address: subject,
    adds: true,
    revision: 0,
  }),
  provider_list_pushes: ({ plan_id }, subject) => ({
    provider_list_id: plan_id,
    list: 'bounces',
    address: subject,
    action: 'add',
    cause: 'bounce',
    since: new Date(),
  }),
  webhook_deliveries: ({ webhook_id }, subject) => ({
    webhook_id,
    id: uuidv7(),
    created_at: new Date(),
    status: 'success',
    type: 'suppression.added',
    body: JSON.stringify({ data: { email: subject } }),
  }),
  people: () => ({ role: 'viewer' }),
  audit_entries: () => ({
    actor_type: 'system',
    actor_name: 'test',
    action: 'topic.updated',
    subject_name: 'test',
  }),
};

const JSON_COLUMNS = [
  'query',
  'largest',
  'evidence',
  'plan',
  'checkpoint',
  'error',
  'attempts',
  'changes',
  'created_by',
];

export interface Filled {
  place: Place;
  /** The column that quotes the address; undefined if the row is about it. */
  column?: string;
}

/**
 * Inserts into every table of the catalog a row about an address, and for each column of texts, a row about another address
 * that quotes it.
 *
 * @returns what was inserted
 */
export async function fillPlaces(world: World, email: string, contactId: string): Promise<Filled[]> {
  const filled: Filled[] = [];
  const parents = await createParents(world);
  for (const place of PLACES) {
    if (place.address !== undefined) {
      const own = place.find === 'contact' ? { id: contactId } : {};
      await insert(world, place, email, parents, own);
      filled.push({ place });
    }
    for (const column of place.texts ?? []) {
      await insert(world, place, OTHER, parents, { [column]: quote(column, email) });
      filled.push({ place, column });
    }
  }
  return filled;
}

/** How programs write an address. */
function formsOf(email: string): string[] {
  const [local, domain] = email.split('@') as [string, string];
  const hex = (text: string, sign: string) =>
    [...Buffer.from(text)].map((byte) => sign + byte.toString(16).toUpperCase().padStart(2, '0')).join('');
  return [
    email.toUpperCase(),
    `${local}@${domainToUnicode(domain)}`,
    `<${hex(email, '=')}>`,
    encodeURIComponent(email),
    `bounces+${local}=${domain}@mail.example.org`,
  ];
}

function quote(column: string, email: string): unknown {
  const forms = column === 'key' ? [email.toUpperCase()] : formsOf(email);
  const text = `of ${OTHER} and ${forms.join(' and ')}, ${counter++}`;
  switch (column) {
    case 'data':
      return `\\x${gzipSync(`email\r\n${email}\r\n`).toString('hex')}`;
    case 'body':
      return JSON.stringify({ data: { email: OTHER, note: text } });
    case 'applied_by':
      return { type: 'api_key', id: 'test', name: 'test', evidence: { consent: { reference: text } } };
    case 'attempts':
      return [{ response: text }];
    default:
      return JSON_COLUMNS.includes(column) ? { note: text } : text;
  }
}

async function insert(
  world: World,
  { table, address }: Place,
  subject: string,
  parents: Parents,
  values: Values,
): Promise<void> {
  const job = ['imports', 'lifts'].includes(table) ? { ...parents, job_id: await createJob(world) } : parents;
  const isColumn = address !== undefined && /^\w+$/.test(address);
  const subjects = isColumn ? { [address]: subject === OTHER ? `${counter++}.${OTHER}` : subject } : {};
  const row = { account_id: world.acme.id, ...subjects, ...ROWS[table]!(job, subject), ...values };
  const columns = Object.keys(row).join(', ');
  await world.database.query(
    `INSERT INTO ${table} (${columns})
    SELECT ${columns} FROM jsonb_populate_record(NULL::${table}, $1) WHERE account_id = $2`,
    [JSON.stringify(row), world.acme.id],
  );
}

async function createParents(world: World): Promise<Parents> {
  const { as, alice } = world;
  const topic = await as(alice)
    .post('/topics')
    .send({ name: 'News', default_subscription: 'opt_in' })
    .expect(201);
  const webhookId = uuidv7();
  await world.database.query(
    `INSERT INTO webhooks (account_id, id, position, endpoint, events, signing_secrets, status, disabled_at, disabled_reason)
    VALUES ($1, $2, 0, 'http://127.0.0.1:9/', '{}', '[]', 'disabled', now(), 'requested')`,
    [world.acme.id, webhookId],
  );
  const source = await createSource(world, 'resend', { account: world.acme.name });
  const jobId = await createJob(world);
  const parents = {
    source_id: source.id,
    topic_id: topic.body.id,
    webhook_id: webhookId,
    job_id: jobId,
    import_id: jobId,
    lift_id: jobId,
    plan_id: jobId,
  };
  await world.database.query(
    `INSERT INTO imports (account_id, id, default_cause, dry_run, plan, created_by) VALUES ($1, $2, 'manual', false, '{}', '{}')`,
    [world.acme.id, jobId],
  );
  await world.database.query(
    `INSERT INTO lifts (account_id, id, cause, query, created_by) VALUES ($1, $2, 'bounce', '{}', '{}')`,
    [world.acme.id, jobId],
  );
  await world.database.query(
    `INSERT INTO provider_lists (
      account_id, id, provider, name, scope, scope_key, credentials, pull, shared, interval_hours, next_run_at
    ) VALUES ($1, $2::uuid, 'ses', 'test', '{}', 'test', '{}', false, false, 24, 'infinity')`,
    [world.acme.id, jobId],
  );
  await world.database.query(
    `INSERT INTO provider_list_plans (account_id, id, job_id, provider_list_id, is_scheduled)
    VALUES ($1, $2, $2, $2, false)`,
    [world.acme.id, jobId],
  );
  return parents;
}

async function createJob({ database, acme }: World): Promise<string> {
  const id = uuidv7();
  await database.query(
    `INSERT INTO jobs (account_id, id, kind, status, checkpoint, completed_at, leased_until)
    VALUES ($1, $2, 'import', 'completed', '{}', now(), now() + interval '1 hour')`,
    [acme.id, id],
  );
  return id;
}
