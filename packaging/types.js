import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './pack.js';

const IMPORTED = /(?<=from '|import\(")(\.[^'"]+)\.js/g;

/** The types of a module of `src`, and of the modules that they import, by their paths in `src` without an ending. */
export function typesOf(module) {
  const folder = mkdtempSync(join(tmpdir(), 'suppression-list-types-'));
  try {
    const options = ['--project', join(root, 'packaging'), '--outDir', folder];
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options], {
      stdio: 'inherit',
    });
    return readTypes(join(folder, 'src'), module, new Map());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Types for CommonJS, which import types for CommonJS. */
export function commonJsTypes(types) {
  return types.replaceAll(IMPORTED, '$1.cjs');
}

function readTypes(folder, module, found) {
  if (!found.has(module)) {
    const types = readFileSync(join(folder, `${module}.d.ts`), 'utf8');
    found.set(module, types);
    for (const [, imported] of types.matchAll(IMPORTED)) {
      readTypes(folder, join(dirname(module), imported), found);
    }
  }
  return found;
}
