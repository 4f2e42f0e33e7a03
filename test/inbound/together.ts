import { importTests } from '../support/import-tests.js';

await importTests(import.meta.url);
await importTests(new URL('providers/', import.meta.url).href);
