import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { bundle } from '../../packaging/bundle.js';

/** Changed by a build, and by an installation of packages. */
const SOURCES = [
  'dist/compiled',
  'node_modules/.package-lock.json',
  'package.json',
  'packaging/bundle.js',
  'test/support/bundle.js',
];
/** Says when everything was bundled. */
const BUNDLED = 'dist/bundled/built';
/** In `node_modules`, because Jest prints the lines around an error in any other file, and those of a bundle are very long. */
const PACKAGES = 'node_modules/.cache/bundled-packages';
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
  // For the tests that start many processes.
  await bundle({ entryPoints: ['dist/src/cli/main.js'], outfile: 'dist/bundled/cli/main.js' });
  for (const [name, packages] of Object.entries(BUNDLES)) {
    await bundlePackages(name, packages);
  }
  writeFileSync(BUNDLED, '');
}

/**
 * Bundles the packages for Jest, which loads them again for each test file: one by one, that takes four seconds of CPU time.
 * Several of them are ES modules only, which Jest cannot load.
 */
async function bundlePackages(bundleName, names) {
  const outfile = `${PACKAGES}/bundles/${bundleName}.cjs`;
  const loaders = names.map((name) => `'${name}': () => require('${name}'),`);
  await bundle({
    stdin: { contents: `module.exports = {${loaders.join('')}};`, resolveDir: '.' },
    format: 'cjs',
    outfile,
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
