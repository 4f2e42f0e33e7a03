import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Binaries } from './postgres-binaries.js';
import { EmbeddedPostgresError, exists, runAs, type Owner } from './postgres-programs.js';

export const SUPERUSER = 'postgres';
export const PASSWORD_FILE = 'password';

/** Creates a cluster under a temporary name, so that an interrupted start leaves no incomplete cluster. */
export async function createCluster(
  dataDir: string,
  directory: string,
  binaries: Binaries,
  owner?: Owner,
): Promise<void> {
  const draft = await makeDraft(dataDir);
  const password = randomBytes(24).toString('hex');
  const passwordFile = `${draft}.password`;
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (owner) {
      await chown(draft, owner.uid, owner.gid);
      await chown(passwordFile, owner.uid, owner.gid);
    }
    await runAs(owner, binaries.initdb, draft, [
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
    ]);
    await rename(passwordFile, join(draft, PASSWORD_FILE));
    await rename(draft, directory);
  } catch (error) {
    if (!(await exists(directory))) {
      throw error;
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

/** Creates a folder and its parents. Node's recursive mkdir never returns for a folder in /proc. */
async function makeFolder(path: string): Promise<void> {
  if (!(await exists(path))) {
    const parent = dirname(path);
    if (parent !== path) {
      await makeFolder(parent);
    }
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') {
        throw error;
      }
    });
  }
}

async function makeDraft(dataDir: string): Promise<string> {
  try {
    await makeFolder(dataDir);
    return await mkdtemp(join(dataDir, 'postgres-draft-'));
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The folder ${dataDir} cannot be used for data (${(error as Error).message}). Set DATA_DIR to a folder that this user may write to.`,
    );
  }
}
