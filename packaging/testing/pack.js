import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../bundle.js';
import { pack, root } from '../pack.js';
import { typesOf } from '../types.js';

/** Swagger UI is larger than the rest of the bundle, and a project's own `docs/` are not the guides of the service. */
const withoutDocs = {
  name: 'without-docs',
  setup: ({ onLoad }) =>
    onLoad({ filter: /dist\/src\/docs\/(?:openapi|guides)\.js$/ }, () => ({
      contents: 'export function setUpOpenApi() {} export function serveGuides() {}',
    })),
};

async function fill(folder) {
  await bundle({
    entryPoints: [join(root, 'dist/src/testing.js')],
    outfile: join(folder, 'index.js'),
    plugins: [withoutDocs],
    // The packages in the bundle are not installed, so their licenses have to be in it.
    legalComments: 'eof',
  });
  const types = typesOf('testing').get('testing').replace("import 'reflect-metadata';\n", '');
  writeFileSync(join(folder, 'index.d.ts'), types);
  writeFileSync(join(folder, 'index.d.cts'), types);
  for (const file of ['client.cjs', 'client.d.cts']) {
    copyFileSync(join(root, 'packaging/testing', file), join(folder, file));
  }
}

await pack('testing', 'docs/testing.md', fill);
