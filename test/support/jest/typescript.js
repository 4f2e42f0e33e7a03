import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createScriptTransformer } from '@jest/transform';

const ESM = {
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};

let transformer;
let options;
let port;

/** @param data - `config` and `coverage`: of Jest; `port`: is sent the source map of each module that was compiled */
export async function initialize(data) {
  transformer = await createScriptTransformer(data.config, new Map());
  options = { ...ESM, ...data.coverage };
  port = data.port;
}

/** In our own files, `./name.js` means `name.ts` or `name.tsx`, as it does for TypeScript. */
export function resolve(specifier, context, next) {
  if (/^\..*\.js$/.test(specifier) && isTypeScript(context.parentURL)) {
    for (const extension of ['.ts', '.tsx']) {
      const url = new URL(specifier.replace(/\.js$/, extension), context.parentURL);
      if (existsSync(url)) {
        return { url: url.href, shortCircuit: true };
      }
    }
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!isTypeScript(url)) {
    return next(url, context);
  }
  const { code, sourceMapPath } = await transformer.transformAsync(fileURLToPath(url), options);
  port.postMessage({ url, map: sourceMapPath });
  return { format: 'module', source: code, shortCircuit: true };
}

function isTypeScript(url) {
  return /\.tsx?$/.test(new URL(url).pathname);
}
