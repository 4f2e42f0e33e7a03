/**
 * Runs the cases of cases.json against each integration, in its real framework: `node integrations/run.js [name…]`.
 * Without the packages of a framework, it is skipped with a message; with REQUIRE_ALL_STEPS=true, that is a failure.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startSuppressionList } from '../dist/src/testing.js';
import { checkCase, expand, WARNING } from './driver/expect.js';
import { FRAMEWORKS } from './driver/frameworks.js';
import { Front } from './driver/front.js';
import { startRunner } from './driver/runner.js';
import { MailSink } from './driver/sink.js';

const root = fileURLToPath(new URL('.', import.meta.url));
const { list, cases } = JSON.parse(readFileSync(`${root}cases.json`, 'utf8'));
const selected = process.argv.slice(2);
const count = { passed: 0, failed: 0, skipped: 0 };

const service = await startSuppressionList({
  PUBLIC_URL: 'https://lists.example.com',
  ...(process.env.TEST_DATABASE_URL && { DATABASE_URL: process.env.TEST_DATABASE_URL }),
});
await fillList();
// What an application needs, and no more.
const apiKey = await service.createApiKey('test', ['suppressions:read', 'suppressions:check-transactional']);
for (const framework of FRAMEWORKS.filter(({ name }) => selected.length === 0 || selected.includes(name))) {
  if (isInstalled(framework)) {
    await run(framework);
  } else {
    const skipped = `the integration ${framework.name}, which needs ${framework.needs}`;
    console.log(`\n*** SKIPPED: ${skipped}. ***\n`);
    appendFileSync(process.env.SKIPPED_STEPS ?? '/dev/null', `${skipped}\n`);
    count.skipped += 1;
  }
}
await service.stop();
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
const missing = process.env.REQUIRE_ALL_STEPS === 'true' ? count.skipped : 0;
process.exit(count.failed + missing > 0 || count.passed === 0 ? 1 : 0);

async function run(framework) {
  const started = Date.now();
  const front = await Front.start(service.url);
  const sink = await MailSink.start();
  const runner = startRunner(framework, root);
  const failures = [];
  const applicable = cases.filter(({ needs }) => !needs || !framework.lacks?.includes(needs));
  for (const each of applicable) {
    const mail = expand(each.mail);
    front.behave(each.service ?? 'real');
    sink.clear();
    const options = { url: front.url, apiKey, onUnavailable: 'throw', ...each.options };
    const result = await runner.ask({
      options,
      mail,
      smtp: { host: '127.0.0.1', port: sink.port },
      api: front.api,
    });
    const emails = [...sink.emails, ...front.emails];
    const problems = checkCase({
      each,
      mail,
      result,
      emails,
      requests: front.requests,
      output: await runner.output(options.onUnavailable === 'send' && !result.error ? WARNING : /^/),
      keepsHeaders: framework.keepsHeaders,
    });
    if (problems.length > 0) {
      failures.push(`  ${each.name}\n    ${problems.join('\n    ')}`);
    }
  }
  runner.stop();
  front.stop();
  sink.stop();
  count.passed += applicable.length - failures.length;
  count.failed += failures.length;
  const lacks = framework.lacks ? `, which has no ${framework.lacks.join(' or ')}` : '';
  console.log(
    `${framework.name}${lacks}: ${applicable.length - failures.length} of ${applicable.length} cases passed (${Date.now() - started} ms)`,
  );
  failures.forEach((failure) => console.log(failure));
}

function isInstalled({ probe }) {
  try {
    execFileSync('sh', ['-c', probe], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function fillList() {
  await call('/suppressions/batch/add', { emails: list.suppressed });
  await call(
    '/events',
    list.unsubscribed.map((email) => ({ type: 'unsubscribe', email })),
  );
  for (const [key, { opted_out: optedOut }] of Object.entries(list.topics)) {
    const topic = await call('/topics', { name: key, key, default_subscription: 'opt_in' });
    for (const email of optedOut) {
      await call(`/contacts/${email}/topics`, [{ id: topic.id, subscription: 'opt_out' }], 'PATCH');
    }
  }
}

async function call(path, body, method) {
  const response = await fetch(service.url + path, {
    method: method ?? 'POST',
    headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(`${path}: ${await response.text()}`);
  }
  return response.json();
}
