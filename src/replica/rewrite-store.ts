import { closeSync, openSync, statfsSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { makeFolder } from '../process/make-folder.js';
import { requireAllRows, rowsIn, writeRows, type Root } from './copy-databases.js';
import { DiskFullError } from './errors.js';

const NEW_FOLDER = 'rewritten';
const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';
/** Without space for a new store, lmdb ends the process. */
const MIN_FREE_BYTES = 1_048_576;

/**
 * Opens a store. Only the owner can read what this creates, because a copy has the addresses, and the key of the erased ones.
 *
 * @param folder - is created if it does not exist
 * @throws {DiskFullError} if there is no space for a new store
 */
export function openRoot(folder: string): Root {
  try {
    makeFolder(folder, 0o700);
    closeSync(openSync(join(folder, DATA_FILE), 'a', 0o600));
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC') {
      throw new DiskFullError({ cause });
    }
    throw new Error(
      `The folder ${folder} cannot be used for a copy (${message}). Name a folder that this user may write to.`,
      { cause },
    );
  }
  if (statSync(join(folder, DATA_FILE)).size === 0 && isFull(folder)) {
    throw new DiskFullError();
  }
  return open<unknown, string>({ path: folder, maxDbs: 4, noSubdir: false });
}

/** A file system without a fixed size, such as ramfs, reports no blocks at all. */
function isFull(folder: string): boolean {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks > 0 && bavail * bsize < MIN_FREE_BYTES;
}

/** Keys of the root, and the names of databases. */
interface StoreContent {
  keys: readonly string[];
  databases: readonly string[];
}

/**
 * Copies a store into a new file, which replaces the old one, because LMDB leaves deleted data in free pages. If the process is
 * killed in between, or the disk is full, the old file is still there.
 *
 * @param root - the store, which is closed
 * @param content - what to copy
 * @param onWritten - called with the number of rows that were copied since the last call
 * @returns the store to use, which is the old one if it could not be copied
 */
export async function rewriteStore(
  root: Root,
  folder: string,
  content: StoreContent,
  onWritten: (rows: number) => void,
): Promise<Root> {
  const newFolder = join(folder, NEW_FOLDER);
  const removeNew = () => rm(newFolder, { recursive: true, force: true });
  const warn = ({ message }: Error) =>
    process.emitWarning(
      `The copy in ${folder} may still have erased addresses, because it cannot be rewritten: ${message}`,
    );
  try {
    await removeNew();
    await copyStore(root, newFolder, content, onWritten);
  } catch (error) {
    warn(error as Error);
    await removeNew();
    return root;
  }
  await root.close();
  await rm(join(folder, LOCK_FILE), { force: true });
  await rename(join(newFolder, DATA_FILE), join(folder, DATA_FILE)).catch(warn);
  await removeNew();
  return openRoot(folder);
}

async function copyStore(
  root: Root,
  newFolder: string,
  content: StoreContent,
  onWritten: (rows: number) => void,
): Promise<void> {
  const target = openRoot(newFolder);
  try {
    target.transactionSync(() => {
      for (const key of content.keys) {
        const value = root.get(key);
        if (value !== undefined) {
          void target.put(key, value);
        }
      }
    });
    for (const name of content.databases) {
      const [source, copy] = [root, target].map((store) => store.openDB<unknown, string>({ name })) as [
        Root,
        Root,
      ];
      await writeRows(target, source.getRange(), ({ key, value }) => void copy.put(key, value), onWritten);
      requireAllRows(source, rowsIn(copy));
    }
  } finally {
    await target.close();
  }
}
