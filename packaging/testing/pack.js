import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, REQUIRE } from '../bundle.js';
import { pack, root } from '../pack.js';
import { typesOf } from '../types.js';

/** Swagger UI is larger than the rest of the bundle. */
const withoutSwaggerUi = {
  name: 'without-swagger-ui',
  setup: ({ onLoad }) =>
    onLoad({ filter: /dist\/src\/docs\/openapi\.js$/ }, () => ({
      contents: 'export function setUpOpenApi() {}',
    })),
};

async function fill(folder) {
  await bundle({
    entryPoints: [join(root, 'dist/src/testing.js')],
    outfile: join(folder, 'index.js'),
    format: 'esm',
    plugins: [withoutSwaggerUi],
    banner: { js: REQUIRE },
  });
  const types = typesOf('testing').get('testing').replace("import 'reflect-metadata';\n", '');
  writeFileSync(join(folder, 'index.d.ts'), types);
  writeFileSync(join(folder, 'index.d.cts'), types);
  for (const file of ['client.cjs', 'client.d.cts']) {
    copyFileSync(join(root, 'packaging/testing', file), join(folder, file));
  }
}

await pack('testing', fill);
