import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Packages that NestJS loads only if they are installed. */
const ABSENT = ['@fastify/static', '@nestjs/microservices', '@nestjs/websockets'];

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = join(root, 'packaging/testing');
const destination = process.argv[2] ?? process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'suppression-list-testing-'));

/** Swagger UI is larger than the rest of the bundle. */
const withoutSwaggerUi = {
  name: 'without-swagger-ui',
  setup: ({ onLoad }) =>
    onLoad({ filter: /dist\/src\/openapi\.js$/ }, () => ({ contents: 'export function setUpOpenApi() {}' })),
};

try {
  const { version, license, engines, optionalDependencies } = readJson(join(root, 'package.json'));
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
    plugins: [withoutSwaggerUi],
    banner: {
      js: `import * as nodeModule from 'node:module'; const require = nodeModule.createRequire(import.meta.url);`,
    },
  });
  const types = readFileSync(join(root, 'dist/src/testing.d.ts'), 'utf8');
  writeFileSync(join(folder, 'index.d.ts'), types.replace("import 'reflect-metadata';\n", ''));
  for (const file of ['client.cjs', 'client.d.cts']) {
    copyFileSync(join(own, file), join(folder, file));
  }
  const manifest = {
    ...readJson(join(own, 'package.json')),
    version,
    license,
    engines,
    optionalDependencies,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', destination], {
    cwd: folder,
    stdio: 'inherit',
  });
} finally {
  rmSync(folder, { recursive: true });
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
