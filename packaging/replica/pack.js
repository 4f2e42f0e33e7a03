import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { optionalDependencies, pack, root } from '../pack.js';
import { commonJsTypes, typesOf } from '../types.js';

async function fill(folder) {
  // Once for ES modules and once for CommonJS, where Jest cannot load an ES module.
  for (const [format, file] of [
    ['esm', 'index.js'],
    ['cjs', 'index.cjs'],
  ]) {
    await build({
      entryPoints: [join(root, 'dist/src/replica/replica.js')],
      outfile: join(folder, file),
      bundle: true,
      platform: 'node',
      format,
      target: 'node20',
      logLevel: 'error',
      external: ['lmdb'],
    });
  }
  for (const [module, types] of typesOf('replica/replica')) {
    const copy = join(folder, 'types', module);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(`${copy}.d.ts`, types);
    writeFileSync(`${copy}.d.cts`, commonJsTypes(types));
  }
}

await pack('replica', 'docs/replica.md', fill, { lmdb: optionalDependencies.lmdb });
