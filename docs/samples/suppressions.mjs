// With Node.js 20 or newer. README.md says what the commands do: node suppressions.mjs check ada@example.com
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

const { SUPPRESSIONS_URL, SUPPRESSIONS_API_KEY, SIGNING_SECRET } = process.env;

async function request(path, options) {
  const response = await fetch(SUPPRESSIONS_URL + path, {
    ...options,
    headers: { Authorization: `Bearer ${SUPPRESSIONS_API_KEY}`, ...options.headers },
  });
  if (!response.ok) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  return response;
}

async function call(path, body) {
  const response = await request(path, {
    ...(body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    }),
    signal: AbortSignal.timeout(10_000),
  });
  return response.json();
}

async function add(...emails) {
  const { data } = await call('/suppressions/batch/add', { emails });
  data.forEach(({ id }) => console.log(id));
}

/** For a newsletter, add its `topic` to the question; for a password reset, `transactional: true`. */
async function check(...emails) {
  const { data } = await call('/suppressions/check', { emails });
  data.forEach(({ email, verdict }) => console.log(`${email}\t${verdict}`));
}

/** If the connection is cut, the beginning of the result stays in a file of another name. */
async function scrub(file, cleanFile) {
  const response = await request('/scrubs', {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv' },
    body: createReadStream(file),
    duplex: 'half',
  });
  await pipeline(response.body, createWriteStream(`${cleanFile}.part`));
  await rename(`${cleanFile}.part`, cleanFile);
}

async function changes(cursorFile) {
  let page;
  do {
    const after = existsSync(cursorFile) ? `&after=${await readFile(cursorFile, 'utf8')}` : '';
    page = await call(`/changes?limit=1000${after}`);
    page.data.forEach(({ type, email }) => console.log(`${type}\t${email}`)); // your work, which must be safe to repeat
    await writeFile(`${cursorFile}.new`, page.cursor);
    await rename(`${cursorFile}.new`, cursorFile);
  } while (page.has_more);
}

async function verify(id, timestamp, signatures) {
  const body = await text(process.stdin);
  const key = Buffer.from(SIGNING_SECRET.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const isSigned = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned || !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) {
    throw new Error('The event is not signed by the service, or too old.');
  }
  console.log(JSON.parse(body).type);
}

const commands = { add, check, scrub, changes, verify };
const [name, ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, name)) {
  console.error(`usage: ${Object.keys(commands).join(' | ')}`);
  process.exit(2);
}
await commands[name](...args).catch(({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
