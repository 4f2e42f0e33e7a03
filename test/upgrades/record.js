import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

/**
 * Records what a release answers, for upgrades.test.ts. Run it in a checkout of the release, on a PostgreSQL 15 whose user may
 * create databases:
 *
 *     node record.js dist/src <server-url> <folder>
 *
 * It uses a database with data in every table, and writes dump.sql and answers.json into the folder.
 */
const [program, server, folder] = process.argv.slice(2);
const SECRETS_KEY = 'a5'.repeat(32);
const MAILGUN_KEY = 'key-of-mailgun-for-tests';
const FAR = '2999-01-01T00:00:00.000Z';
const POSTMARK = { username: 'postmark', password: 'a-password-of-tests' };

function settingsFor(database) {
  const url = new URL(server);
  url.pathname = `/${database}`;
  const { PATH } = process.env;
  return {
    PATH,
    DATABASE_URL: url.href,
    SECRETS_KEY,
    PORT: '0',
    SHUTDOWN_DELAY: '0',
    PUBLIC_URL: 'https://lists.example.com',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
}

async function withDatabase(name, work) {
  const { DATABASE_URL } = settingsFor(name);
  const client = new Client({ connectionString: DATABASE_URL });
  await client.connect();
  return work(client).finally(() => client.end());
}

async function createDatabase(name) {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  await client.end();
}

async function startService(database) {
  const child = spawn('node', [`${program}/main.js`], { env: settingsFor(database) });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  await until(() => output.includes('listening on') || child.exitCode !== null);
  return { child, url: /listening on (http:[^"]+)"/.exec(output)[1] };
}

async function cli(database, ...args) {
  const ran = promisify(execFile)('node', [`${program}/cli/main.js`, ...args, '--json'], {
    env: settingsFor(database),
  });
  return JSON.parse((await ran).stdout);
}

async function send(url, method, path, { key, type = 'application/json', headers, body, mayFail } = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': type }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'object' ? JSON.stringify(body) : body }),
  });
  const text = await response.text();
  if (response.status >= 400 && !mayFail) {
    throw new Error(`${method} ${path}: ${response.status} ${text}`);
  }
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

async function until(condition) {
  while (!(await condition())) {
    await delay(100);
  }
}

/** Fills every table of the account acme. Returns what the test needs besides. */
async function fill(database, { url }, endpoint) {
  const admin = (...args) => cli(database, ...args);
  await admin('account', 'create', 'acme', '--beta');
  await admin('account', 'create', 'globex', '--beta');
  const { key } = await admin('key', 'create', '--account', 'acme');
  const { key: otherKey } = await admin('key', 'create', '--account', 'globex');
  const { id: oldKey } = await admin('key', 'create', '--account', 'acme', '--name', 'old');
  await admin('key', 'revoke', oldKey);
  const acme = async (method, path, body, more) =>
    (await send(url, method, path, { key, body, ...more })).body;

  const hook = { endpoint, events: ['suppression.added', 'suppression.changed', 'preference.changed'] };
  const webhook = await acme('POST', '/webhooks', hook);

  const topic = (name, more) =>
    acme('POST', '/topics', { name, default_subscription: 'opt_in', visibility: 'public', ...more });
  const news = await topic('News');
  const offers = await topic('Offers', { default_subscription: 'opt_out', visibility: 'private' });
  const archived = await topic('Archived');
  const choose = (email, ...topics) => acme('PATCH', `/contacts/${email}/topics`, topics);
  await choose('choosy@example.com', { id: news.id, subscription: 'opt_out' });
  await choose('fan@example.com', { id: offers.id, subscription: 'opt_in' });
  await choose('fan@example.com', { id: archived.id, subscription: 'opt_out' });
  await acme('DELETE', `/topics/${archived.id}`);
  const created = { email: 'contact@example.com', unsubscribed: true };
  const { id: contact } = await acme('POST', '/contacts', created);

  const emails = ['ada@example.com', 'grace@example.net', 'ünï@exämple.com', 'removed@example.com'];
  await acme('POST', '/suppressions/batch/add', { emails, note: 'asked by phone' });
  await acme('POST', '/suppressions', { email: 'soon@example.com', expires_at: FAR });
  await acme('POST', '/events', { type: 'complaint', email: 'ada@example.com' });
  await acme('POST', '/events', { type: 'unsubscribe', email: 'left@example.com' });
  await acme('DELETE', '/suppressions/removed@example.com', { note: 'a mistake' });
  await acme('DELETE', '/suppressions/ada@example.com?cause=manual');

  const rule = await acme('POST', '/rules', { effect: 'block', pattern: 'blocked.example' });
  await acme('POST', '/rules', { effect: 'allow', pattern: 'vip@example.com' });
  const deleted = await acme('POST', '/rules', { effect: 'block', pattern: 'old.example' });
  await acme('DELETE', `/rules/${deleted.id}`);

  await acme('PATCH', '/account', { complaint_reach: 'marketing' });
  await acme('PATCH', '/account', { bounce_expiry: ['3650d'] });

  const source = (provider, ...more) =>
    admin('source', 'create', '--account', 'acme', '--provider', provider, ...more);
  const { username, password } = POSTMARK;
  const secrets = ['--secret', `username=${username}`, '--secret', `password=${password}`];
  const postmark = await source('postmark', ...secrets, '--topic', 'news=stream:broadcast');
  const mailgun = await source('mailgun', '--secret', `signing_key=${MAILGUN_KEY}`);
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const bounce = (email, ID) => ({
    method: 'POST',
    path: new URL(postmark.url).pathname,
    headers: { Authorization: basic },
    body: {
      RecordType: 'Bounce',
      ID,
      Type: 'HardBounce',
      Email: email,
      MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
      MessageStream: 'broadcast',
      BouncedAt: new Date().toISOString(),
    },
  });
  const repeated = bounce('gone@example.com', 1);
  for (const delivery of [repeated, bounce('vip@example.com', 2), bounce('gone@example.net', 3)]) {
    await send(url, delivery.method, delivery.path, delivery);
  }
  await send(url, 'POST', new URL(mailgun.url).pathname, { body: signedByMailgun('spam@example.com') });

  await admin(
    'unsubscribe',
    'set',
    '--account',
    'acme',
    '--sender-name',
    'Acme',
    '--mailbox',
    'u@acme.example',
  );
  const link = async (email, more) => {
    const { data } = await acme('POST', '/unsubscribe-links', { emails: [email], ...more });
    return new URL(data[0].url).pathname;
  };
  const clicked = await link('clicked@example.com', { topic: 'news', mailto: true });
  await send(url, 'POST', clicked);
  const unclicked = await link('reader@example.com');
  await admin('unsubscribe', 'rotate', '--account', 'acme');

  const files = [
    [
      'filename=list.csv',
      'email,cause,created_at\nimported@example.com,bounce,2026-01-02T03:04:05Z\nno address,,\n',
    ],
    ['topic=news&filename=opt-outs.csv', 'email\nopted-out@example.com\n'],
    ['dry_run=true&filename=dry.csv', 'email\ndry@example.com\n'],
    ['filename=mistake.csv', 'email\nmistake@example.com\n'],
  ];
  const imports = [];
  for (const [query, text] of files) {
    const { id } = await acme('POST', `/imports?${query}`, text, { type: 'text/csv' });
    await until(async () => (await acme('GET', `/imports/${id}`)).status === 'completed');
    imports.push(id);
  }
  await acme('POST', `/imports/${imports[3]}/revert`);
  await until(async () => (await acme('GET', `/imports/${imports[3]}`)).status === 'reverted');
  const recipients = 'email\nada@example.com\nreader@example.com\nnobody\n';
  const scrubbed = await send(url, 'POST', '/scrubs', { key, type: 'text/csv', body: recipients });

  const invite = (email, role) => admin('console', 'invite', email, '--account', 'acme', '--role', role);
  const admission = await invite('admin@acme.example', 'admin');
  const signedIn = await send(url, 'POST', new URL(admission.url).pathname, {
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    type: 'application/x-www-form-urlencoded',
    body: '',
  });
  const [cookie] = signedIn.headers.getSetCookie()[0].split(';');
  const invitation = new URL((await invite('viewer@acme.example', 'viewer')).url).pathname;

  const { data: lines, cursor } = await acme('GET', '/changes?limit=3');
  const { cursor: end } = await acme('GET', '/changes?limit=1000');
  await until(async () => {
    const { data } = await acme('GET', `/webhooks/${webhook.id}/deliveries?limit=100`);
    return data.length > lines.length && data.every(({ status }) => status === 'success');
  });
  const attempts = await acme('GET', `/webhooks/${webhook.id}/deliveries?limit=1`);

  const listed = (path, more = 'limit=100') => `${path}?${more}`;
  const paths = [
    listed('/audit-log'),
    ...['', '&origin=bounce', '&cause=manual', '&domain=example.net'].map((filter) =>
      listed('/suppressions', `limit=100${filter}`),
    ),
    ...['count?group_by=origin', 'count?group_by=domain', 'count?group_by=month', 'summary'].map(
      (name) => `/suppressions/${name}`,
    ),
    ...[
      'ada@example.com',
      'gone@example.com',
      'removed@example.com',
      'clicked@example.com',
      'soon@example.com',
    ].map((email) => `/suppressions/${email}/history`),
    ...['ada@example.com', 'imported@example.com', '%C3%BCn%C3%AF@ex%C3%A4mple.com'].map(
      (email) => `/suppressions/${email}`,
    ),
    listed('/topics'),
    `/topics/${news.id}`,
    `/topics/${archived.id}`,
    ...['choosy', 'fan', 'clicked', 'opted-out'].map((name) => `/contacts/${name}@example.com/topics`),
    `/contacts/${contact}`,
    listed('/rules'),
    `/rules/${rule.id}`,
    `/rules/${deleted.id}/history`,
    listed('/events'),
    `/events?source=${postmark.id}`,
    listed('/webhooks'),
    `/webhooks/${webhook.id}`,
    listed(`/webhooks/${webhook.id}/deliveries`),
    `/webhooks/${webhook.id}/events/${attempts.data[0].id}`,
    listed('/imports'),
    ...imports.map((id) => `/imports/${id}`),
    `/imports/${imports[0]}/errors`,
    '/changes?limit=1000',
    `/changes?limit=1000&after=${cursor}`,
    `/changes?after=${end}`,
    '/exports?format=ndjson',
    '/exports?format=ndjson&topic=news',
    '/exports?format=sha256',
    `/scrubs/${scrubbed.headers.get('scrub-id')}`,
    '/account',
  ];
  const checked = [
    ...emails,
    'left',
    'contact',
    'gone',
    'vip',
    'spam',
    'clicked',
    'choosy',
    'imported',
    'opted-out',
    'x@blocked.example',
  ].map((name) => (name.includes('@') ? name : `${name}@example.com`));
  const purposes = [{}, { topic: 'news' }, { topic: 'offers' }, { transactional: true }, { as_of: cursor }];
  const requests = [
    ...paths.map((path) => ({ method: 'GET', path })),
    ...purposes.map((purpose) => ({
      method: 'POST',
      path: '/suppressions/check',
      body: { emails: checked, ...purpose },
    })),
  ];
  return { key, otherKey, cookie, invitation, unclicked, repeated, webhook, requests };
}

function signedByMailgun(recipient) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const token = randomBytes(25).toString('hex');
  const signature = createHmac('sha256', MAILGUN_KEY)
    .update(timestamp + token)
    .digest('hex');
  return {
    signature: { timestamp, token, signature },
    'event-data': { event: 'complained', id: 'complaint-1', timestamp: Date.now() / 1000, recipient },
  };
}

/** Kills the service while the account globex has changes without a position, an import that runs, and one that waits. */
async function interrupt(database, { url, child }, key) {
  const upload = async (text) =>
    (await send(url, 'POST', '/imports', { key, type: 'text/csv', body: text })).body.id;
  await send(url, 'POST', '/suppressions', { key, body: { email: 'pending@example.com' } });
  await withDatabase(database, async (client) => {
    await client.query('BEGIN; LOCK TABLE feed_pending');
    const running = await upload('email\nrunning@example.com\n');
    await until(async () => {
      const { body } = await send(url, 'GET', `/imports/${running}`, { key });
      return body.status === 'running';
    });
    await upload('email\nwaiting@example.com\n');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await client.query('ROLLBACK');
  });
}

/** Moves what is deleted after some time into the far future, so that the dump does not age. */
const KEEP = `
  UPDATE jobs SET completed_at = '${FAR}' WHERE completed_at IS NOT NULL;
  UPDATE jobs SET leased_until = now() WHERE leased_until IS NOT NULL;
  UPDATE scrubs SET completed_at = '${FAR}';
  UPDATE spent_tokens SET spent_at = '${FAR}';
  UPDATE webhook_deliveries SET recorded_at = '${FAR}';
  UPDATE console_sessions SET signed_in_at = '${FAR}', last_seen_at = '${FAR}';
  UPDATE sign_in_links SET expires_at = '${FAR}';
`;

async function requireFullTables(client) {
  const { rows } = await client.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
  for (const { name } of rows) {
    const { rowCount } = await client.query(`SELECT FROM ${name} LIMIT 1`);
    if (rowCount === 0) {
      throw new Error(`The table ${name} is empty.`);
    }
  }
}

async function record() {
  const endpoint = createServer((request, response) => request.resume().on('end', () => response.end('ok')));
  await once(endpoint.listen(0, '127.0.0.1'), 'listening');
  await createDatabase('recorded');
  const service = await startService('recorded');
  const url = `http://127.0.0.1:${endpoint.address().port}/`;
  const { requests, ...rest } = await fill('recorded', service, url);
  await interrupt('recorded', service, rest.otherKey);
  endpoint.close();
  await withDatabase('recorded', async (client) => {
    await client.query(KEEP);
    await requireFullTables(client);
  });
  const options = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges', '--no-comments'];
  const dump = execFileSync('pg_dump', [...options, settingsFor('recorded').DATABASE_URL], {
    encoding: 'utf8',
  });
  // Without the commands of psql.
  writeFileSync(`${folder}/dump.sql`, dump.replaceAll(/^\\.*\n/gm, ''));

  const again = await startService('recorded');
  const answers = [];
  for (const request of requests) {
    const sent = await send(again.url, request.method, request.path, {
      key: rest.key,
      mayFail: true,
      ...request,
    });
    const { status, headers, body: answer } = sent;
    // The last 30 days, which move.
    delete answer.days;
    answers.push({ ...request, status, cursor: headers.get('changes-cursor') ?? undefined, answer });
  }
  again.child.kill('SIGTERM');
  await once(again.child, 'exit');
  const lines = answers.map((answer) => JSON.stringify(answer)).join(',\n');
  writeFileSync(
    `${folder}/answers.json`,
    `{"fixture": ${JSON.stringify(rest)},\n"answers": [\n${lines}\n]}\n`,
  );
}

await record();
