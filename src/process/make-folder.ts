import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents. Node's recursive mkdir never returns for a folder in /proc.
 *
 * @param mode - the permissions of the folder, but not of its parents
 */
export function makeFolder(path: string, mode?: number): void {
  const parent = dirname(path);
  if (existsSync(path) || parent === path) {
    return;
  }
  makeFolder(parent);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  }
}
