import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const PAGES = [
  'README.md',
  'docs/audit-log.md',
  'docs/changes.md',
  'docs/counts.md',
  'docs/exports.md',
  'docs/imports.md',
  'docs/scrubs.md',
  'docs/unsubscribe.md',
  'docs/verdicts.md',
  'docs/webhooks.md',
];

/** What the pages suppose to be in the working directory. */
const FILES = {
  'campaign.csv': 'email,name\nada@example.com,Ada\nnew@example.com,Nina\n',
  'suppression_bounces.csv':
    'status,reason,email,created\n5.1.1,550 no such user,gone@example.com,1767225600\n',
  'blocked.csv': 'email,date\ngone@example.com,03.04.2021\n',
  'news-unsubscribed.csv': 'email\nada@example.com\n',
};

/** Makes each response with an error end the script. */
const STRICT = `set -euo pipefail
curl() { command curl --fail-with-body --no-progress-meter "$@"; }
`;

/** A request that the page says is refused. */
const REFUSED = /^(call .*?) +# 403 .*$/gm;

describe('the examples of the documentation', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld({ PUBLIC_URL: 'http://127.0.0.1:3000' });
    folder = await mkdtemp(join(tmpdir(), 'examples-'));
    for (const [name, content] of Object.entries(FILES)) {
      await writeFile(join(folder, name), content);
    }
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  it.each(PAGES)('%s can be pasted from top to bottom', async (page) => {
    const key = await createKey(world);
    await suppress(world, key, ['ada@example.com']);
    const examples = examplesOf(await readFile(page, 'utf8'));
    expect(examples).toContain('curl');
    const script = examples
      .replaceAll('http://127.0.0.1:3000', world.url)
      .replaceAll('<API_KEY>', key)
      .replaceAll(REFUSED, 'if $1; then exit 1; fi');
    await promisify(execFile)('bash', ['-c', STRICT + script], { cwd: folder });
  });
});

/** The fenced shell blocks, and the indented ones that send requests. */
function examplesOf(page: string): string {
  const fenced = page.matchAll(/^```sh\n(.*?)^```$/gms);
  const indented = page.matchAll(/^\n((?: {4}(?:curl|A=).*\n)(?: {4}.*\n)*)/gm);
  return [...fenced, ...indented].map(([, block]) => block).join('');
}
