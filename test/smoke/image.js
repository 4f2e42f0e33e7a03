// Runs the image as production does, without a network of its own: node test/smoke/image.js IMAGE podman [OPTION...]
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { startTemporaryPostgres } from '../../dist/src/database/embedded/temporary-postgres.js';

const [image, podman, ...options] = process.argv.slice(2);
const HARDENING = ['--read-only', '--cap-drop=all', '--security-opt=no-new-privileges', '--network=host'];
const LIMITS = ['--ulimit=nofile=1024:1024', '--ulimit=nproc=4096:4096'];
const EMAIL = 'smoke@example.com';
const WHO_AM_I = `JSON.stringify([process.getuid(), (() => {
  try { fs.writeFileSync('/app/written', ''); } catch ({ code }) { return code; }
})()])`;

const postgres = await startTemporaryPostgres();
const settings = { DATABASE_URL: postgres.url, PORT: '0', SHUTDOWN_DELAY: '0' };
const service = start(settings);
try {
  await runSmokeTest();
} finally {
  service.kill('SIGKILL');
  await postgres.stop();
}

async function runSmokeTest() {
  const url = await addressOf(service);
  await expectStatus(`${url}/readyz`, 200);

  await cli('account', 'create', 'smoke', '--beta');
  const key = (await cli('key', 'create', '--account', 'smoke', '--name', 'smoke')).trim();
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ emails: [EMAIL] });
  await expectStatus(`${url}/suppressions/batch/add`, 201, { method: 'POST', headers, body });
  const checked = await expectStatus(`${url}/suppressions/check`, 200, { method: 'POST', headers, body });
  assert.equal(checked.data[0].verdict, 'suppressed');
  await expectStatus(`${url}/openapi.json`, 200);
  console.log('image: the service answers, and the command line works');

  const folder = ['--tmpfs=/copy:mode=1777'];
  const access = { SUPPRESSIONS_URL: url, SUPPRESSIONS_API_KEY: key };
  const line = ['--line', '127.0.0.1:0', '--replica', '/copy', '--on-failure', 'defer'];
  const mta = start(access, folder, 'node', 'dist/src/cli/main.js', 'mta', ...line);
  await says(mta, /opened the local copy/);
  await end(mta);
  console.log('image: mta answers from a local copy');

  const [uid, written] = JSON.parse(await run(settings, 'node', '-p', WHO_AM_I));
  assert.equal(uid, 10_001);
  assert.equal(written, 'EROFS');
  console.log('image: the user is 10001, and the file system is read-only');

  await assert.rejects(run({}, 'node', 'dist/src/main.js'), (error) => error.code === 1 || error.code === 2);
  await end(service);
  console.log('image: SIGTERM ends the service in order');
}

function commandLine(env, more, ...command) {
  const variables = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
  return [...options, 'run', '--rm', ...HARDENING, ...LIMITS, ...more, ...variables, image, ...command];
}

function start(env, more = [], ...command) {
  return spawn(podman, commandLine(env, more, ...command), { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function end(container) {
  const ended = once(container, 'close');
  container.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
}

async function run(env, ...command) {
  const { stdout } = await promisify(execFile)(podman, commandLine(env, [], ...command));
  return stdout;
}

function cli(...args) {
  return run(settings, 'node', 'dist/src/cli/main.js', ...args);
}

async function addressOf(container) {
  const [, port] = await says(container, /listening on http:\/\/.*:(\d+)"/);
  return `http://127.0.0.1:${port}`;
}

async function says({ stdout }, pattern) {
  let said = '';
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    said += chunk;
    const found = pattern.exec(said);
    if (found) {
      stdout.resume();
      return found;
    }
  }
  throw new Error(`The container ended:\n${said}`);
}

async function expectStatus(url, status, init) {
  const response = await fetch(url, init);
  const text = await response.text();
  assert.equal(response.status, status, `${url}: ${text}`);
  return JSON.parse(text);
}
