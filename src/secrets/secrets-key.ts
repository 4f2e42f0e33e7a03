import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../process/operator-error.js';

const FILE = 'secrets-key';
const KEY_BYTES = 32;
const KEY = /^[0-9a-f]{64}$/;

/**
 * Reads the key of a data folder, or creates it, in a file that only its owner can read. The file appears atomically, so
 * that a service and a command that start together use the same key, and it is on the disk before the key is used.
 *
 * @throws {OperatorError} when the file is damaged, since another key could not decrypt the secrets
 */
export async function readOrCreateSecretsKey(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE);
  return (await readKey(file)) ?? (await createKey(dataDir, file));
}

async function readKey(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw new OperatorError(`The key in ${file} cannot be read (${(error as Error).message}).`);
  }
  if (!KEY.test(text.trim())) {
    throw new OperatorError(
      `The key in ${file} is damaged: it must be 64 hexadecimal digits. Restore the file from a backup. ` +
        'Without a backup, delete the file, and replace the secrets that it encrypted: docs/alerts.md says how.',
    );
  }
  return text.trim();
}

/** Unlike a rename, a link does not replace a file that another process has created meanwhile. */
async function createKey(dataDir: string, file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeAndSync(draft, randomBytes(KEY_BYTES).toString('hex'));
    await link(draft, file).catch(allowExisting);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dataDir);
  return (await readKey(file))!;
}

async function writeAndSync(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Ensures that the name of the file is on the disk. Windows does this itself, and cannot open folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') {
    return;
  }
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function allowExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') {
    throw error;
  }
}
