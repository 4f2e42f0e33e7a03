import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { optionalDependencies } from './pack.js';

/** Packages that are loaded only where they are installed. NestJS looks for the last three. */
const OPTIONAL = [
  ...Object.keys(optionalDependencies),
  '@fastify/static',
  '@nestjs/microservices',
  '@nestjs/websockets',
];

/** Packages use `require`, which ES modules do not have. */
const REQUIRE = `import * as nodeModule from 'node:module'; const require = nodeModule.createRequire(import.meta.url);`;

const STYLE_SHEET = /readFileSync\(new URL\('([^']+\.css)', import\.meta\.url\), 'utf8'\)/g;

/** Puts the style sheets that modules read into the bundle. */
const inlineStyleSheets = {
  name: 'inline-style-sheets',
  setup: ({ onLoad }) =>
    onLoad({ filter: /style(?:sheet)?\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(STYLE_SHEET, (_read, file) =>
        JSON.stringify(readFileSync(join(dirname(path), file), 'utf8')),
      ),
    })),
};

/**
 * Two packages of NestJS load others by a `require` of their own, which a bundle would leave to Node.js: it would have a second
 * TypeORM, and a second class-transformer, so that DTOs that are made of other DTOs would lose their fields.
 */
const bundleRequires = {
  name: 'bundle-requires',
  setup: ({ onLoad }) =>
    onLoad({ filter: /(?:mapped-types.dist.type-helpers\.utils|typeorm-compat)\.js$/ }, ({ path }) => {
      const module = readFileSync(path, 'utf8');
      const contents = module.replace('const require = createRequire(import.meta.url);', '');
      if (contents === module) {
        throw new Error(`${path} no longer has a require of its own.`);
      }
      return { contents: contents.replace("'class-transformer/storage'", "'class-transformer/cjs/storage'") };
    }),
};

/**
 * Bundles compiled modules with the packages that they import into an ES module: Node.js loads three thousand modules in twice the
 * time of one.
 *
 * @param options - of esbuild, in addition to those here
 */
export async function bundle({ plugins = [], ...options }) {
  const { outputFiles } = await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: REQUIRE },
    target: 'node20',
    keepNames: true,
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    legalComments: 'none',
    logLevel: 'error',
    external: OPTIONAL.flatMap((name) => [name, `${name}/*`]),
    plugins: [...plugins, inlineStyleSheets, bundleRequires],
    allowOverwrite: true,
    write: false,
    ...options,
  });
  for (const { path, text } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, toAscii(nameOnlyClasses(text)));
  }
}

const DEFINE_NAME = '__defProp(target,"name",{value,configurable:!0})';
const NAME_ANYTHING = `__name=(target,value)=>${DEFINE_NAME}`;
const NAME_CLASSES = `__name=(target,value)=>target.name===value||!target.prototype?target:${DEFINE_NAME}`;

/**
 * `keepNames` also defines the name of an arrow function whenever one is created, which took a third of the time of a lookup. Only
 * classes need their names, for NestJS and the log.
 */
function nameOnlyClasses(text) {
  const named = text.replace(NAME_ANYTHING, NAME_CLASSES);
  if (named === text && text.includes('__name(')) {
    throw new Error('esbuild defines names in another way. Change NAME_ANYTHING in packaging/bundle.js.');
  }
  return named;
}

/** A source with other characters takes twice the memory in V8. */
function toAscii(text) {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
