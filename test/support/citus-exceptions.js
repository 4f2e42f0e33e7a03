import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const PLANS = 'reads plans or statistics, which are those of the shards';
const ROWS =
  'inserts or counts rows of several accounts, or of an account that its SQL does not name, in all shards';
const SEVERAL = 'sends several statements in one query, or SQL that Citus refuses';
const LOCKS = 'locks or writes tables by connections of its own, not their shards';
const WATCHED = 'counts the statements that the connections of one server send';
const NOW = 'needs now() to be the start of a transaction that has read nothing yet';
const SCHEMA = 'changes the schema, or reads all tables of the database';
const NODE = 'expects requests to succeed once /readyz does, which does not wait until a node is tried again';
const NODE_LIMIT = 'sends more requests than one node of Citus may have';
const RESTORED = 'restores a database that is not spread';

/** The tests that fail on Citus, by file: the beginning of their names, and why. An empty one stands for any test of the file. */
const EXCEPTIONS = {
  'test/cli/commands.test.ts': [['the command source creates no source', SEVERAL]],
  'test/console/routes.test.ts': [['a form of the console that takes too long', LOCKS]],
  'test/contacts/after-erasure.test.ts': [
    ['an event that is delivered again after an erasure that keeps the block is recognized while', SEVERAL],
    ['after an erasure that keeps the block, an address that was stored again', SEVERAL],
  ],
  'test/contacts/contacts.test.ts': [
    ['GET /contacts/:contact is answered while the database is read-only', SEVERAL],
  ],
  'test/contacts/data.test.ts': [['the catalog of addresses names', SCHEMA]],
  'test/contacts/erase.test.ts': [['POST /contacts/:contact/erase keeps the revert of a lift', ROWS]],
  'test/database/idle-accounts.test.ts': [['', ROWS]],
  'test/database/plans.test.ts': [['', PLANS]],
  'test/exports/export.test.ts': [['GET /exports reads one note', PLANS]],
  'test/feed/changes.test.ts': [
    ['GET /changes reads the earlier lines', PLANS],
    ['GET /changes reads few lines', PLANS],
    ['the sweep of the feed numbers the changes of an account that nobody reads', ROWS],
  ],
  'test/health/health.test.ts': [
    ['GET /readyz is 200 after a newer version has added', SCHEMA],
    ['an instance that starts looks at few sources', PLANS],
  ],
  'test/http/backpressure.test.ts': [
    ['with more requests than the database answers keeps room in its queue', NODE_LIMIT],
    ['with more requests than the database answers serves an account in its turn', WATCHED],
  ],
  'test/http/unavailable.test.ts': [
    ['without the database', NODE],
    [
      'requests on broken connections a database whose connections break is reported as unavailable if the connection breaks between',
      LOCKS,
    ],
    ['requests on broken connections DDL under a running service that hides the tables', SCHEMA],
  ],
  'test/imports/topic.test.ts': [['POST /imports?topic= leaves one line', ROWS]],
  'test/inbound/long-history.test.ts': [['', PLANS]],
  'test/inbound/projection/projection.test.ts': [['a resubscribe that arrives while', LOCKS]],
  'test/inbound/receive.test.ts': [
    ['a delivery of many events', WATCHED],
    ['deliveries that arrive together', SEVERAL],
  ],
  'test/jobs/jobs.test.ts': [
    ['jobs keep files whose upload', NOW],
    ['jobs leave a job queued while', ROWS],
    ['jobs fail after five errors', SEVERAL],
    ['a job waits for the database', LOCKS],
  ],
  'test/lifts/lifts.test.ts': [
    ['a lift by query reverted leaves what is listed again', SEVERAL],
    ['a lift by query is refused when 20 others', SEVERAL],
  ],
  'test/metrics/metrics.test.ts': [
    ['the metrics do not count a delivery', SEVERAL],
    ['the metrics count the runs of a background task', SEVERAL],
    ['the metrics have the jobs by state', ROWS],
  ],
  'test/provider-lists/large-outbox.test.ts': [['', PLANS]],
  'test/provider-lists/plans.test.ts': [['applying a plan of a provider list later two instances', LOCKS]],
  'test/suppressions/add-get-remove.test.ts': [
    ['an account that guards removals decides by the causes', LOCKS],
  ],
  'test/suppressions/causes.test.ts': [['a suppression that expires is swept in batches', ROWS]],
  'test/suppressions/suppression-pages.test.ts': [['', WATCHED]],
  'test/upgrades/upgrades.test.ts': [['', RESTORED]],
  'test/webhooks/retries.test.ts': [['retries of webhooks do not deadlock', LOCKS]],
  'test/webhooks/webhooks.test.ts': [
    ['webhooks are not found by a test that waits for their deletion', ROWS],
    ["webhooks for topics, in Resend's format that are being deleted", ROWS],
  ],
};

/** Compares the results of a run with the list. @returns what differs */
function differences({ testResults }) {
  const found = [];
  for (const { name, assertionResults, status, message } of testResults) {
    const file = relative(process.cwd(), name);
    const exceptions = EXCEPTIONS[file] ?? [];
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    if (status === 'failed' && failed.length === 0 && exceptions.length === 0) {
      found.push(`${file} failed: ${message}`);
    }
    for (const title of failed) {
      if (!exceptions.some(([start]) => title.startsWith(start))) {
        found.push(`${file} failed: ${title}`);
      }
    }
    for (const [start] of exceptions) {
      if (failed.every((title) => !title.startsWith(start))) {
        found.push(`${file} passed, but is listed: ${start}`);
      }
    }
  }
  return found;
}

const found = differences(JSON.parse(readFileSync(process.argv[2], 'utf8')));
console.log(found.length > 0 ? found.join('\n') : 'Only the tests that are listed failed.');
process.exitCode = found.length > 0 ? 1 : 0;
