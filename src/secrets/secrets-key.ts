import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../process/operator-error.js';

const FILE = 'secrets-key';
const KEY_OCTETS = 32;
const KEY = /^[0-9a-f]{64}$/;

/** The key of a data folder is not there as it was written. */
export class SecretsKeyFileError extends OperatorError {
  override readonly name = 'SecretsKeyFileError';
}

/**
 * The key of a data folder, made at the first need, in a file that only its owner can read. It appears at once and as a
 * whole, so that a service and a command that start together have the same one; and it is on the disk before anything is
 * encrypted with it.
 *
 * @throws {SecretsKeyFileError} when the file is damaged: with another key nobody could read what is encrypted
 */
export async function secretsKeyOf(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE);
  return (await readKey(file)) ?? (await makeKey(dataDir, file));
}

async function readKey(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw new SecretsKeyFileError(`The key in ${file} cannot be read (${(error as Error).message}).`);
  }
  if (!KEY.test(text.trim())) {
    throw new SecretsKeyFileError(
      `The key in ${file} is damaged: it is not 64 hexadecimal digits. Put the file back from a backup; ` +
        'without one, delete it, and tell each source its secrets anew.',
    );
  }
  return text.trim();
}

/** A link, unlike a rename, leaves alone what somebody else has put there meanwhile. */
async function makeKey(dataDir: string, file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeDown(draft, randomBytes(KEY_OCTETS).toString('hex'));
    await link(draft, file).catch(allowExisting);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dataDir);
  return (await readKey(file))!;
}

async function writeDown(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** So that the name of the file is on the disk, too. Windows opens no folders, and does that by itself. */
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
