import { writeFile } from 'node:fs/promises';
import { generateDocs } from './docs/generated-docs.js';

/** Writes the documentation that is generated from the code. */
for (const [file, text] of await generateDocs()) {
  await writeFile(file, text);
}
