import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { TimeSlice } from './time-slice.js';

const NEW_FOLDER = 'rewritten';
const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';
const ROWS_PER_TRANSACTION = 500;

export type Root = RootDatabase<unknown, string>;

/** @param folder - is created if it does not exist */
export function openRoot(folder: string): Root {
  return open<unknown, string>({ path: folder, maxDbs: 4, noSubdir: false });
}

/**
 * Copies a store into a new file, which takes the place of the old one: LMDB leaves what was deleted in free pages. A process
 * that is killed in between has the old file.
 *
 * @param root - is closed
 * @param keys - of the root, which are copied
 * @param names - of the databases, which are copied
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
    await copy(root, target, name);
  }
  await target.close();
  await root.close();
  await rm(join(folder, LOCK_FILE), { force: true });
  await rename(join(newFolder, DATA_FILE), join(folder, DATA_FILE));
  await rm(newFolder, { recursive: true });
  return openRoot(folder);
}

async function copy(from: Root, to: Root, name: string): Promise<void> {
  const [source, target] = [from, to].map((root) => root.openDB<unknown, string>({ name })) as [Root, Root];
  const slice = new TimeSlice();
  let batch: { key: string; value: unknown }[] = [];
  const flush = () =>
    to.transactionSync(() => batch.forEach(({ key, value }) => void target.put(key, value)));
  for (const row of source.getRange()) {
    if (batch.push(row) === ROWS_PER_TRANSACTION) {
      flush();
      batch = [];
      if (slice.isOver) {
        await slice.end();
      }
    }
  }
  flush();
}
