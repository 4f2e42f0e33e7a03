import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { optionalDependencies, pack, root } from '../pack.js';
import { writeTypes } from '../types.js';

const IMPORTED = /from '(\.[^']+)\.js'/g;
const compiled = join(root, 'dist/src');

async function fill(folder) {
  await build({
    entryPoints: [join(compiled, 'replica/replica.js')],
    outfile: join(folder, 'index.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    external: ['lmdb'],
  });
  writeTypes('replica/replica');
  copyTypes('replica/replica', folder, new Set());
}

/** Copies the types of a module and of those that it imports, once for ES modules and once for CommonJS. */
function copyTypes(module, folder, copied) {
  if (copied.has(module)) {
    return;
  }
  copied.add(module);
  const types = readFileSync(join(compiled, `${module}.d.ts`), 'utf8');
  const copy = join(folder, 'types', module);
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(`${copy}.d.ts`, types);
  writeFileSync(`${copy}.d.cts`, types.replaceAll(IMPORTED, "from '$1.cjs'"));
  for (const [, imported] of types.matchAll(IMPORTED)) {
    copyTypes(join(dirname(module), imported), folder, copied);
  }
}

await pack('replica', fill, { lmdb: optionalDependencies.lmdb });
