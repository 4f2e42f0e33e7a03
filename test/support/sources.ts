import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import type { NewSource } from '../../src/inbound/sources/new-source.js';
import type { ProviderName } from '../../src/inbound/providers/providers.js';
import type { Source } from '../../src/inbound/sources/source.entity.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { basic } from './deliveries.js';
import type { World } from './world.js';
import { OPERATOR } from './operator.js';

export type Headers = Record<string, string>;

/** A source of an account, and how to send to it. */
export interface TestSource extends Source {
  secrets: Record<string, string>;
  path: string;
}

/** Secrets of these tests, for the providers that make their own. */
const GIVEN: Partial<Record<ProviderName, Record<string, string>>> = {
  resend: { signing_secret: `whsec_${randomBytes(24).toString('base64')}` },
  mailgun: { signing_key: randomUUID() },
};

export async function createSource(
  world: Pick<World, 'app'>,
  provider: ProviderName,
  { account = 'acme', ...newSource }: Partial<NewSource> & { account?: string } = {},
): Promise<TestSource> {
  const owner = await world.app.get(AccountsService).get(account);
  const given = newSource.secrets ?? GIVEN[provider] ?? {};
  const { source, generatedSecrets } = await world.app
    .get(SourcesService)
    .create({ accountId: owner.id, actor: OPERATOR, deadline: Infinity }, provider, {
      name: provider,
      options: {},
      ...newSource,
      secrets: given,
    });
  return { ...source, secrets: { ...given, ...generatedSecrets }, path: `/inbound/${source.urlId}` };
}

/** Posts a body as it is. */
export async function post(
  world: World,
  { path }: { path: string },
  body: unknown,
  headers: Headers = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return world.anyone
    .post(path)
    .set({ 'Content-Type': 'application/json', ...headers })
    .send(text);
}

/** With the credential of a source of a provider that does not sign. */
export function postWithCredential(world: World, source: TestSource, body: unknown): Promise<Response> {
  const { username = '', password = '' } = source.secrets;
  return post(world, source, body, basic(username, password) as Headers);
}

/** A raw message, with the credential of its source. */
export async function postMail(
  world: World,
  { path, secrets: { username = '', password = '' } }: TestSource,
  message: Buffer,
  headers: Headers = {},
): Promise<Response> {
  const credential = basic(username, password) as Headers;
  return world.anyone
    .post(path)
    .set({ ...credential, 'Content-Type': 'message/rfc822', ...headers })
    .send(message);
}

/** Posts a raw message that is accepted, and returns the events that its source has then. */
export async function takeMail(
  world: World,
  source: TestSource,
  message: Buffer,
  headers: Headers = {},
): Promise<string[]> {
  const { status, body } = await postMail(world, source, message, headers);
  expect([status, body]).toEqual([200, {}]);
  return readInbox(world, source);
}

/** Signed as Resend signs, so many seconds ago. */
export function resendHeaders(source: TestSource, body: unknown, id: string, ageSeconds = 0): Headers {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const key = Buffer.from(source.secrets.signing_secret!.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key)
    .update(`${id}.${timestamp}.${JSON.stringify(body)}`)
    .digest('base64');
  return { 'svix-id': id, 'svix-timestamp': String(timestamp), 'svix-signature': `v1,${signature}` };
}

export function postResend(world: World, source: TestSource, body: unknown, id: string = randomUUID()) {
  return post(world, source, body, resendHeaders(source, body, id));
}

/** An event of Mailgun, signed as Mailgun signs, now. */
export function mailgunBody(
  source: TestSource,
  event: Record<string, unknown>,
  token = randomBytes(25).toString('hex'),
) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', source.secrets.signing_key!)
    .update(timestamp + token)
    .digest('hex');
  return {
    signature: { timestamp, token, signature },
    'event-data': { id: randomUUID(), timestamp: Date.now() / 1000, ...event },
  };
}

/** A batch of SparkPost, which needs little to say much. */
export function sparkpostBatch(events: Record<string, unknown>[]) {
  return events.map((fields) => ({
    msys: {
      message_event: {
        event_id: randomUUID(),
        timestamp: String(Math.floor(Date.now() / 1000)),
        message_id: randomUUID().replaceAll('-', ''),
        ...fields,
      },
    },
  }));
}

export interface ListRow {
  id: string;
  account_id: number;
  email: string;
  cause: string;
  email_id: string | null;
  created_at: Date;
}

/** The list as the database has it, by address. */
export function readList(world: World): Promise<ListRow[]> {
  return world.database.query<ListRow>('SELECT * FROM suppressions ORDER BY account_id, email');
}

/** The ledger of an address, oldest first, in short. */
export async function readLedger(world: World, email: string): Promise<string[]> {
  const lines = await world.database.query<{ action: string; cause: string; actor_name: string }>(
    'SELECT action, cause, actor_name FROM suppression_changes WHERE email = $1 ORDER BY account_id, id',
    [email],
  );
  return lines.map(({ action, cause, actor_name }) => `${action} ${cause} by ${actor_name}`);
}

/** The inbox of a source in short, in the order of arrival. */
export async function readInbox(world: World, { id }: { id: string }): Promise<string[]> {
  const events = await world.database.query<Record<string, string>>(
    'SELECT recipient, kind, effect, outcome FROM delivery_events WHERE source_id = $1 ORDER BY received_at, id',
    [id],
  );
  return events.map(({ recipient, kind, effect, outcome }) => `${recipient} ${kind} ${effect}: ${outcome}`);
}
