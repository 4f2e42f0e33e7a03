import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'secrets-key';
const KEY_OCTETS = 32;

/**
 * The key of a data folder, made at the first need, in a file that only its owner can read. It appears at once and as a
 * whole, so that a service and a command that start together have the same one.
 */
export async function secretsKeyOf(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE);
  const draft = `${file}.${randomUUID()}`;
  const kept = await readKey(file);
  if (kept) {
    return kept;
  }
  try {
    await writeFile(draft, randomBytes(KEY_OCTETS).toString('hex'), { mode: 0o600 });
    await link(draft, file).catch(allowExisting);
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

async function readKey(file: string): Promise<string> {
  return (await readFile(file, 'utf8').catch(() => '')).trim();
}

function allowExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') {
    throw error;
  }
}
