import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pack.js';
import { typesOf } from './types.js';

/** Writes the types of the modules that `package.json` exports beside the compiled files. */
for (const exported of ['testing', 'replica/replica']) {
  for (const [module, types] of typesOf(exported)) {
    writeFileSync(join(root, 'dist/src', `${module}.d.ts`), types);
  }
}
