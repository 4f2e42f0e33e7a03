import { importTests } from './support/import-tests.js';

/** Of jest.config.js. */
declare const SMALL_FOLDERS: string[];

for (const folder of SMALL_FOLDERS) {
  await importTests(new URL(`${folder}/`, import.meta.url).href);
}
