import { execFile, execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

/** The programs in docs/samples, in the form of the integrations. */
export const SAMPLES = [
  {
    name: 'curl',
    probe: 'jq --version && openssl version',
    command: './suppressions.sh',
    needs: 'jq and openssl',
  },
  { name: 'JavaScript', probe: 'node --version', command: 'node suppressions.mjs', needs: 'Node.js' },
  {
    name: 'Python',
    probe: '/usr/bin/python3 --version',
    command: '/usr/bin/python3 suppressions.py',
    needs: 'python3',
  },
  {
    name: 'PHP',
    probe: 'php -r "function_exists(\'curl_init\') or exit(1);"',
    command: 'php suppressions.php',
    needs: 'the Debian packages php-cli and php-curl',
  },
  { name: 'Ruby', probe: '/usr/bin/ruby --version', command: '/usr/bin/ruby suppressions.rb', needs: 'ruby' },
  {
    name: 'Go',
    probe: 'go version',
    prepare: 'go build -o "$BUILT/suppressions" suppressions.go',
    command: '"$BUILT/suppressions"',
    needs: 'the Debian package golang-go',
  },
  {
    name: 'Java',
    probe: 'javac -version && ls /usr/share/java/gson.jar',
    prepare: 'javac -cp /usr/share/java/gson.jar -d "$BUILT" Suppressions.java',
    command: 'java -cp "/usr/share/java/gson.jar:$BUILT" Suppressions',
    needs: 'the Debian packages default-jdk-headless and libgoogle-gson-java',
  },
].map((sample) => ({ ...sample, name: `sample in ${sample.name}` }));

export const SAMPLE_CASES = 18;
const ROWS = 100_000;
const SCOPES = ['suppressions:read', 'suppressions:write', 'changes:read'];

/** Two events as an endpoint received them: the second one is also signed with the secret before a rotation. */
export async function recordEvents(service) {
  const apiKey = await service.createApiKey('webhooks');
  const received = [];
  const endpoint = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(204).end();
    endpoint.emit('event');
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const call = (path, body) => post(service.url + path, apiKey, body);
  const url = `http://127.0.0.1:${endpoint.address().port}/`;
  const webhook = await call('/webhooks', { endpoint: url, events: ['suppression.added'] });
  await Promise.all([once(endpoint, 'event'), call('/suppressions', { email: 'zoë@example.com' })]);
  const rotated = await call(`/webhooks/${webhook.id}/signing-secret/rotate`, {});
  await Promise.all([once(endpoint, 'event'), call('/suppressions', { email: 'second@example.com' })]);
  endpoint.close();
  endpoint.closeAllConnections();
  return { received, secret: webhook.signing_secret, newSecret: rotated.signing_secret };
}

/** Runs a sample as a person would. Returns the failures; there are `SAMPLE_CASES` cases. */
export async function trySample({ name, prepare, command }, { service, root, events }) {
  const folder = await mkdtemp(join(tmpdir(), 'samples-'));
  const apiKey = await service.createApiKey(name.toLowerCase().replaceAll(/\W+/g, '-'), SCOPES);
  const failures = [];
  const samples = `${root}../docs/samples`;
  const settings = { SUPPRESSIONS_URL: service.url, SUPPRESSIONS_API_KEY: apiKey, BUILT: folder };
  const run = (args, { input, env } = {}) =>
    execute(`${command} ${args.map((argument) => `'${argument}'`).join(' ')}`, {
      cwd: samples,
      input,
      env: { ...process.env, ...settings, ...env },
    });
  const expect = (what, result, { lines, failed = false, says = /^/ }) => {
    if (
      result.failed !== failed ||
      !says.test(result.stderr) ||
      (lines && !isDeepStrictEqual(result.lines, lines))
    ) {
      failures.push(`  ${what}\n    ${JSON.stringify(result).slice(0, 1000)}`);
    }
  };

  if (prepare) {
    execFileSync('sh', ['-c', prepare], { cwd: samples, env: { ...process.env, BUILT: folder } });
  }
  const added = await run(['add', 'ada@example.com', 'obrien+news@example.com']);
  expect('adds two addresses', { ...added, lines: [added.lines.length] }, { lines: [2] });
  expect('says why it adds none', await run(['add', 'new@example.com', 'nonsense']), {
    lines: [],
    failed: true,
    says: /nonsense|emails/,
  });
  expect(
    'checks',
    await run(['check', 'Ada@Example.com', 'new@example.com', 'zoë@exämple.com', 'nonsense']),
    {
      lines: [
        'Ada@Example.com\tsuppressed',
        'new@example.com\tsend',
        'zoë@exämple.com\tsend',
        'nonsense\tinvalid',
      ],
    },
  );
  expect(
    'gives no verdict if the service is down, and says why in a line',
    await run(['check', 'new@example.com'], { env: { SUPPRESSIONS_URL: 'http://127.0.0.1:1' } }),
    { lines: [], failed: true, says: /^.+\n\s*$/ },
  );

  const proxy = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  expect(
    'says in a line that a response is not JSON',
    await run(['check', 'new@example.com'], {
      env: { SUPPRESSIONS_URL: `http://127.0.0.1:${proxy.address().port}` },
    }),
    { lines: [], failed: true, says: /^.+\n\s*$/ },
  );
  proxy.close();

  const [campaign, clean] = [join(folder, 'campaign.csv'), join(folder, 'clean.csv')];
  const rows = Array.from(
    { length: ROWS },
    (_, index) => `row${index}@example.com,${'Somebody '.repeat(5)}\n`,
  );
  await writeFile(campaign, `email,name\nada@example.com,Ada\n${rows.join('')}`);
  const down = await run(['scrub', campaign, clean], { env: { SUPPRESSIONS_URL: 'http://127.0.0.1:1' } });
  expect(
    'scrubs nothing if the service is down, and says why in a line or two',
    { ...down, lines: [existsSync(clean)] },
    { lines: [false], failed: true, says: /^(.+\n){1,2}\s*$/ },
  );
  const refused = await run(['scrub', campaign, clean], { env: { SUPPRESSIONS_API_KEY: 're_wrong' } });
  expect(
    'leaves no clean file after a refusal',
    { ...refused, lines: [existsSync(clean)] },
    {
      lines: [false],
      failed: true,
      says: /401|403/,
    },
  );
  const scrubbed = await run(['scrub', campaign, clean]);
  const isClean = existsSync(clean) && (await readFile(clean, 'utf8')) === `email,name\n${rows.join('')}`;
  expect(
    'scrubs a file',
    { ...scrubbed, lines: [isClean, existsSync(`${clean}.part`)] },
    { lines: [true, false] },
  );

  const many = Array.from({ length: 1_500 }, (_, index) => `many${index}@example.com`);
  for (let at = 0; at < many.length; at += 100) {
    await post(`${service.url}/suppressions/batch/add`, apiKey, { emails: many.slice(at, at + 100) });
  }
  const cursor = join(folder, 'cursor');
  const all = await run(['changes', cursor]);
  const addresses = new Set(all.lines.map((line) => /^suppression\.added\t(.*)$/.exec(line)?.[1]));
  expect(
    'reads every change once',
    { ...all, lines: [all.lines.length, addresses.size] },
    { lines: [1_502, 1_502] },
  );
  await post(`${service.url}/suppressions`, apiKey, { email: 'last@example.com' });
  expect('goes on at its cursor', await run(['changes', cursor]), {
    lines: ['suppression.added\tlast@example.com'],
  });

  const verify = (event, secret, { body = event.body, id, timestamp, signature } = {}) => {
    const { headers } = event;
    const values = [
      id ?? headers['webhook-id'],
      timestamp ?? headers['webhook-timestamp'],
      signature ?? headers['webhook-signature'],
    ];
    return run(['verify', ...values], { input: body, env: { SIGNING_SECRET: secret } });
  };
  const [first, second] = events.received;
  const valid = { lines: ['suppression.added'] };
  const invalid = { lines: [], failed: true, says: /not signed by the service, or too old/ };
  expect('accepts an event', await verify(first, events.secret), valid);
  for (const secret of [events.secret, events.newSecret]) {
    expect('accepts an event after a rotation', await verify(second, secret), valid);
  }
  const signedAt = (timestamp) => ({
    timestamp,
    signature: signatureOf(events.secret, `${first.headers['webhook-id']}.${timestamp}.${first.body}`),
  });
  expect('refuses a changed event', await verify(first, events.secret, { body: `${first.body}\n` }), invalid);
  const longAgo = String(Math.floor(Date.now() / 1000) - 400);
  expect('refuses an old event', await verify(first, events.secret, signedAt(longAgo)), invalid);
  expect('refuses an octal timestamp', await verify(first, events.secret, signedAt('08')), invalid);
  expect('refuses a signature with another secret', await verify(first, events.newSecret), invalid);
  const trace = join(folder, 'trace');
  const injected = await verify(first, events.secret, signedAt(`PATH[$(touch ${trace})]`));
  expect(
    'runs no command in a timestamp, even in a signed one',
    { ...injected, lines: [existsSync(trace)] },
    { lines: [false], failed: true, says: /./ },
  );
  expect('explains its commands', await run(['help']), { lines: [], failed: true, says: /check/ });
  await rm(folder, { recursive: true });
  return failures;
}

/** Runs a command without blocking this process, which is the service. */
export function execute(command, { input = '', ...options }) {
  return new Promise((resolve) => {
    const child = execFile('sh', ['-c', command], { ...options, timeout: 120_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, lines: stdout.split('\n').slice(0, -1), stderr }),
    );
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function signatureOf(secret, signed) {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

export async function post(url, apiKey, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(`${url}: ${await response.text()}`);
  }
  return response.json();
}
