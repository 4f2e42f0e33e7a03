import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './pack.js';

const IMPORTED = /from '(\.[^']+)\.js'/g;

/** The types of a module of `src`, and of the modules that it imports, by their paths in `src` without an ending. */
export function typesOf(module, found = new Map()) {
  if (!found.has(module)) {
    const types = declarationsOf(join(root, 'src', `${module}.ts`));
    found.set(module, types);
    for (const [, imported] of types.matchAll(IMPORTED)) {
      typesOf(join(dirname(module), imported), found);
    }
  }
  return found;
}

/** Types for CommonJS, which import types for CommonJS. */
export function commonJsTypes(types) {
  return types.replaceAll(IMPORTED, "from '$1.cjs'");
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
    throw new Error(
      ts.formatDiagnostics(diagnostics, {
        ...ts.sys,
        getCanonicalFileName: (name) => name,
        getNewLine: () => ts.sys.newLine,
      }),
    );
  }
  return outputText;
}
