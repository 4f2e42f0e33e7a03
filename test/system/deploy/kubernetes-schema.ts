import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

export interface Pod {
  containers: {
    image: string;
    securityContext: object;
    env: { name: string; value: string }[];
    envFrom?: object[];
    volumeMounts?: object[];
  }[];
  volumes?: object[];
  affinity?: object;
}

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    type?: string;
    ports: { name: string }[];
    template: { metadata: { labels: object; annotations?: object }; spec: Pod };
    rules: { http: { paths: { path: string }[] } }[];
  };
  data: Record<string, string>;
}

const TSC = resolve('node_modules/typescript/bin/tsc');
const FOLDER = resolve('dist/checked-manifests');

/**
 * Compares manifests with the types that kubernetes-models generates from Kubernetes' OpenAPI document.
 *
 * @returns what is wrong, unknown fields included
 */
export function problemsOf(manifests: Manifest[]): string[] {
  mkdirSync(FOLDER, { recursive: true });
  const file = resolve(FOLDER, 'manifests.ts');
  const declarations = manifests.map(
    (manifest, index) =>
      `import type { I${manifest.kind} as I${index} } from '${moduleOf(manifest)}';\n` +
      `export const manifest${index}: I${index} = ${JSON.stringify(manifest, null, 1)};\n`,
  );
  writeFileSync(file, declarations.join(''));
  const options = ['--ignoreConfig', '--noEmit', '--skipLibCheck', '--pretty', 'false'];
  const { stdout } = spawnSync(process.execPath, [TSC, ...options, file], { encoding: 'utf8' });
  rmSync(FOLDER, { recursive: true });
  return stdout.split('\n').filter((line) => line !== '');
}

function moduleOf({ apiVersion, kind }: Manifest): string {
  const path = `${apiVersion}/${kind}`;
  const name = apiVersion.startsWith('monitoring.coreos.com')
    ? `@kubernetes-models/prometheus-operator/${path}`
    : `kubernetes-models/${path}`;
  return existsSync(`node_modules/${name}.d.ts`) ? name : `no schema for ${path}`;
}
