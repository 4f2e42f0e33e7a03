import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import { bundle } from './bundle.js';
import { LANGUAGE } from './language.js';

/**
 * Compiles `src` and `migrations` into `dist`, with their style sheets, and bundles the service. Checks no types: `npm run typecheck`
 * does. The command line is not bundled, because most commands need few modules.
 */
process.chdir(fileURLToPath(new URL('..', import.meta.url)));

// A build that is interrupted must not pass for a whole one.
rmSync('dist/compiled', { force: true });
const files = ['src', 'migrations'].flatMap((folder) =>
  readdirSync(folder, { recursive: true }).map((file) => join(folder, file)),
);
for (const folder of new Set(files.map(dirname))) {
  mkdirSync(join('dist', folder), { recursive: true });
}
await Promise.all(files.filter((file) => /\.tsx?$/.test(file)).map(compile));
for (const file of files.filter((name) => name.endsWith('.css'))) {
  copyFileSync(file, join('dist', file));
}
chmodSync('dist/src/cli/main.js', 0o755);
await bundle({
  entryPoints: ['dist/src/main.js'],
  outfile: 'dist/src/main.js',
  sourcemap: 'linked',
  sourcesContent: false,
});
// Says when everything was compiled.
writeFileSync('dist/compiled', '');

async function compile(file) {
  const compiled = join('dist', file.replace(/\.tsx?$/, '.js'));
  const { code, map } = await transformFile(file, {
    jsc: LANGUAGE,
    module: { type: 'es6' },
    sourceMaps: true,
    // Relative to the map.
    sourceFileName: relative(dirname(compiled), file),
  });
  writeFileSync(compiled, `${code}//# sourceMappingURL=${basename(compiled)}.map\n`);
  writeFileSync(`${compiled}.map`, map);
}
