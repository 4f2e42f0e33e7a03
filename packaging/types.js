import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const IMPORTED = /from '(\.[^']+)\.js'/g;

/** Writes the types of a module of `src`, and of the modules that it imports, beside the compiled files. */
export function writeTypes(module, written = new Set()) {
  if (written.has(module)) {
    return;
  }
  written.add(module);
  const types = declarationsOf(join(root, 'src', `${module}.ts`));
  writeFileSync(join(root, 'dist/src', `${module}.d.ts`), types);
  for (const [, imported] of types.matchAll(IMPORTED)) {
    writeTypes(join(dirname(module), imported), written);
  }
}

/** Reads one file only, so what it exports must have explicit types. */
function declarationsOf(fileName) {
  const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(fileName, 'utf8'), {
    fileName,
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      isolatedDeclarations: true,
    },
  });
  if (diagnostics.length > 0) {
    throw new Error(ts.formatDiagnostics(diagnostics, { ...ts.sys, getCanonicalFileName: (name) => name }));
  }
  return outputText;
}
