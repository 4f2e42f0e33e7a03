import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes all tests of a folder one file of Jest, which loads the service once for them: it loads it anew for every file.
 *
 * @param url - of a file in the folder
 */
export async function importTests(url: string): Promise<void> {
  const folder = dirname(fileURLToPath(url));
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.test.ts'))) {
    await import(join(folder, name));
  }
}
