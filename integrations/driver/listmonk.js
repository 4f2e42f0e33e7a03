import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { execute, post } from './samples.js';

export const LISTMONK = {
  name: 'recipe for listmonk',
  probe: 'jq --version',
  needs: 'jq',
};
export const LISTMONK_CASES = 4;

/** Runs the script of docs/recipes.md against what listmonk's webhook accepts. Returns the failures. */
export async function tryListmonk({ service, root }) {
  const folder = await mkdtemp(join(tmpdir(), 'listmonk-'));
  const apiKey = await service.createApiKey('listmonk', [
    'suppressions:write',
    'suppressions:read',
    'changes:read',
    'events:write',
  ]);
  const listmonk = await startStandIn();
  const failures = [];
  const run = () =>
    execute(`./listmonk.sh ${folder}/cursor`, {
      cwd: `${root}../docs/samples`,
      env: {
        ...process.env,
        SUPPRESSIONS_URL: service.url,
        SUPPRESSIONS_API_KEY: apiKey,
        LISTMONK_URL: listmonk.url,
        LISTMONK_API_USER: 'suppressions',
        LISTMONK_API_TOKEN: 'token"with \\ signs',
      },
    });
  const expect = async (what, failed, bounces) => {
    listmonk.bounces = [];
    const result = await run();
    const received = listmonk.bounces.map(({ email, type }) => [email, type]);
    if (result.failed !== failed || !isDeepStrictEqual(received, bounces)) {
      failures.push(`  ${what}\n    ${JSON.stringify({ result, received }).slice(0, 1000)}`);
    }
  };

  await post(`${service.url}/events`, apiKey, [
    { type: 'complaint', email: 'angry@example.com' },
    { type: 'unsubscribe', email: 'tired@example.com' },
  ]);
  const emails = ['refused@example.com', 'back@example.com'];
  await post(`${service.url}/suppressions/batch/add`, apiKey, { emails });
  await post(`${service.url}/suppressions/batch/remove`, apiKey, { emails: ['back@example.com'] });
  listmonk.status = 503;
  await expect('keeps its cursor while listmonk is down', true, []);
  listmonk.status = 200;
  await expect('passes on all that are suppressed, and skips what listmonk refuses', false, [
    ['angry@example.com', 'complaint'],
    ['tired@example.com', 'hard'],
  ]);
  await expect('passes nothing on twice', false, []);
  await post(`${service.url}/suppressions/batch/remove`, apiKey, { emails: ['tired@example.com'] });
  await post(`${service.url}/suppressions`, apiKey, { email: 'late@example.com' });
  await expect('passes on later suppressions, but no removal', false, [['late@example.com', 'hard']]);
  listmonk.server.close();
  await rm(folder, { recursive: true });
  return failures;
}

/** Has the rules of `BounceWebhook` and `validateBounceFields` in cmd/bounce.go of listmonk 6. */
async function startStandIn() {
  const standIn = { bounces: [], status: 200 };
  const authorization = `Basic ${Buffer.from('suppressions:token"with \\ signs').toString('base64')}`;
  standIn.server = createServer(async (request, response) => {
    const bounce = await json(request);
    const isValid =
      /^[^@\s]+@[^@\s]+$/.test(bounce.email) &&
      bounce.email !== 'refused@example.com' &&
      ['hard', 'soft', 'complaint'].includes(bounce.type) &&
      !Number.isNaN(Date.parse(bounce.created_at));
    const status =
      request.url !== '/webhooks/bounce' || request.method !== 'POST'
        ? 404
        : request.headers.authorization !== authorization
          ? 403
          : standIn.status === 200 && !isValid
            ? 400
            : standIn.status;
    if (status === 200) {
      standIn.bounces.push(bounce);
    }
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{"data":true}');
  }).listen(0, '127.0.0.1');
  await once(standIn.server, 'listening');
  standIn.url = `http://127.0.0.1:${standIn.server.address().port}`;
  return standIn;
}
