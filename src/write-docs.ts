import { writeFile } from 'node:fs/promises';
import { generateDocs } from './docs/generated-docs.js';

/** Writes the documentation that the code has the facts of. */
for (const [file, text] of await generateDocs()) {
  await writeFile(file, text);
}
