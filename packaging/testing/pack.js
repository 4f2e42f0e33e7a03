import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleMappedTypes } from '../bundle-mapped-types.js';
import { inlineStyleSheets } from '../inline-style-sheets.js';
import { optionalDependencies, pack, root } from '../pack.js';
import { typesOf } from '../types.js';

/** Packages that NestJS loads only if they are installed. */
const ABSENT = ['@fastify/static', '@nestjs/microservices', '@nestjs/websockets'];

/** Swagger UI is larger than the rest of the bundle. */
const withoutSwaggerUi = {
  name: 'without-swagger-ui',
  setup: ({ onLoad }) =>
    onLoad({ filter: /dist\/src\/docs\/openapi\.js$/ }, () => ({
      contents: 'export function setUpOpenApi() {}',
    })),
};

async function fill(folder) {
  await build({
    entryPoints: [join(root, 'dist/src/testing.js')],
    outfile: join(folder, 'index.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    logLevel: 'error',
    external: [...Object.keys(optionalDependencies), ...ABSENT, ...ABSENT.map((name) => `${name}/*`)],
    plugins: [withoutSwaggerUi, inlineStyleSheets, bundleMappedTypes],
    banner: {
      js: `import * as nodeModule from 'node:module'; const require = nodeModule.createRequire(import.meta.url);`,
    },
  });
  const types = typesOf('testing').get('testing').replace("import 'reflect-metadata';\n", '');
  writeFileSync(join(folder, 'index.d.ts'), types);
  writeFileSync(join(folder, 'index.d.cts'), types);
  for (const file of ['client.cjs', 'client.d.cts']) {
    copyFileSync(join(root, 'packaging/testing', file), join(folder, file));
  }
}

await pack('testing', fill);
