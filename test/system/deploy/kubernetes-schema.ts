import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

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
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  rmSync(FOLDER, { recursive: true });
  return problems;
}

function moduleOf({ apiVersion, kind }: Manifest): string {
  const path = `${apiVersion}/${kind}`;
  const name = apiVersion.startsWith('monitoring.coreos.com')
    ? `@kubernetes-models/prometheus-operator/${path}`
    : `kubernetes-models/${path}`;
  return existsSync(`node_modules/${name}.d.ts`) ? name : `no schema for ${path}`;
}
