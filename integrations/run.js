/**
 * Runs the cases of cases.json against each integration, in its real framework, and the programs of docs/samples:
 * `node integrations/run.js [name…]`.
 * Without the packages of a framework, it is skipped with a message; with REQUIRE_ALL_STEPS=true, that is a failure.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startSuppressionList } from '../dist/src/testing.js';
import { checkCase, expand, WARNING } from './driver/expect.js';
import { FRAMEWORKS, REPORTERS } from './driver/frameworks.js';
import { Front } from './driver/front.js';
import { LISTMONK, LISTMONK_CASES, tryListmonk } from './driver/listmonk.js';
import { startRunner } from './driver/runner.js';
import { recordEvents, SAMPLE_CASES, SAMPLES, trySample } from './driver/samples.js';
import { MailSink } from './driver/sink.js';

const root = fileURLToPath(new URL('.', import.meta.url));
const { list, cases, events } = JSON.parse(readFileSync(`${root}cases.json`, 'utf8'));
const selected = process.argv.slice(2);
const count = { passed: 0, failed: 0, skipped: 0 };

const service = await startSuppressionList({
  PUBLIC_URL: 'https://lists.example.com',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  ...(process.env.TEST_DATABASE_URL && { DATABASE_URL: process.env.TEST_DATABASE_URL }),
});
await fillList();
// What an application needs, and no more.
const apiKey = await service.createApiKey('test', ['suppressions:check', 'suppressions:check-transactional']);
const signedEvents = await recordEvents(service);
const eventsKey = await service.createApiKey('test', ['events:write']);
for (const [integrations, test] of [
  [FRAMEWORKS, testCases],
  [REPORTERS, testEvents],
  [SAMPLES, testSample],
  [[LISTMONK], testListmonk],
]) {
  for (const each of integrations.filter(({ name }) => selected.length === 0 || selected.includes(name))) {
    if (isInstalled(each)) {
      await test(each);
    } else {
      skip(each);
    }
  }
}
await service.stop();
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed > 0 || count.passed === 0 ? 1 : 0);

function skip({ name, needs, notPackaged }) {
  const skipped = `the integration ${name}, which needs ${needs}`;
  console.log(`\n*** SKIPPED: ${skipped}. ***\n`);
  appendFileSync(process.env.SKIPPED_STEPS ?? '/dev/null', `${skipped}\n`);
  count.skipped += 1;
  count.failed += process.env.REQUIRE_ALL_STEPS === 'true' && !notPackaged ? 1 : 0;
}

async function testCases(framework) {
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
  const lacks = framework.lacks ? `, which has no ${framework.lacks.join(' or ')}` : '';
  report(framework.name + lacks, applicable.length, failures, started);
}

async function testEvents(reporter) {
  const started = Date.now();
  const runner = startRunner(reporter, root);
  const failures = [];
  const applicable = events.filter((each) => each.postmark || each[reporter.reads]);
  for (const { name, cause, ...event } of applicable) {
    const webhook = JSON.parse(JSON.stringify(event).replaceAll('%', reporter.name.replaceAll(' ', '-')));
    const { error } = await runner.ask({ url: service.url, apiKey: eventsKey, ...webhook });
    const { Email, Recipient, recipient } = webhook.postmark ?? webhook[reporter.reads];
    const path = `/suppressions/${Email ?? Recipient ?? recipient}?include=causes`;
    const found = await fetch(service.url + path, { headers: { Authorization: `Bearer ${service.apiKey}` } });
    const { causes } = await found.json();
    const added = causes?.[0]?.cause ?? null;
    if (error || added !== cause) {
      failures.push(`  ${name}\n    added ${added} instead of ${cause}; error: ${error}`);
    }
  }
  runner.stop();
  report(reporter.name, applicable.length, failures, started);
}

async function testSample(sample) {
  const started = Date.now();
  report(
    sample.name,
    SAMPLE_CASES,
    await trySample(sample, { service, root, events: signedEvents }),
    started,
  );
}

async function testListmonk({ name }) {
  const started = Date.now();
  report(name, LISTMONK_CASES, await tryListmonk({ service, root }), started);
}

function report(name, number, failures, started) {
  count.passed += number - failures.length;
  count.failed += failures.length;
  console.log(`${name}: ${number - failures.length} of ${number} cases passed (${Date.now() - started} ms)`);
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
