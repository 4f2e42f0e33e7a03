import { closeSync, mkdirSync, openSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { open } from 'lmdb';
import { writeRows, type Root } from './copy-databases.js';

const NEW_FOLDER = 'rewritten';
const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';

/**
 * Opens a store. Only the owner can read what this creates, because a copy has the addresses, and the key of the erased ones.
 *
 * @param folder - is created if it does not exist
 */
export function openRoot(folder: string): Root {
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeSync(openSync(join(folder, DATA_FILE), 'a', 0o600));
  return open<unknown, string>({ path: folder, maxDbs: 4, noSubdir: false });
}

/**
 * Copies a store into a new file, which replaces the old one, because LMDB leaves deleted data in free pages. If the process is
 * killed in between, the old file is still there.
 *
 * @param root - the store, which is closed
 * @param keys - the keys of the root to copy
 * @param names - the names of the databases to copy
 */
export async function rewriteStore(
  root: Root,
  folder: string,
  keys: readonly string[],
  names: readonly string[],
): Promise<Root> {
  const newFolder = join(folder, NEW_FOLDER);
  await rm(newFolder, { recursive: true, force: true });
  const target = openRoot(newFolder);
  target.transactionSync(() => {
    for (const key of keys) {
      const value = root.get(key);
      if (value !== undefined) {
        void target.put(key, value);
      }
    }
  });
  for (const name of names) {
    const [source, copy] = [root, target].map((store) => store.openDB<unknown, string>({ name })) as [
      Root,
      Root,
    ];
    await writeRows(target, source.getRange(), ({ key, value }) => void copy.put(key, value));
  }
  await target.close();
  await root.close();
  await rm(join(folder, LOCK_FILE), { force: true });
  await rename(join(newFolder, DATA_FILE), join(folder, DATA_FILE));
  await rm(newFolder, { recursive: true });
  return openRoot(folder);
}
