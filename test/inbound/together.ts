import { importTests } from '../support/import-tests.js';

await importTests(import.meta.url);
