import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes all tests of a folder and the folders in it one file of Jest, which loads the service once for them: it loads it
 * anew for every file.
 *
 * @param url - of the folder, or of a file in it
 */
export async function importTests(url: string): Promise<void> {
  const folder = fileURLToPath(new URL('.', url));
  for (const name of readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((file) =>
    file.endsWith('.test.ts'),
  )) {
    await import(join(folder, name));
  }
}
