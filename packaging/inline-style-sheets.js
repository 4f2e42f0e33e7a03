import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const READ = /readFileSync\(new URL\('([^']+\.css)', import\.meta\.url\), 'utf8'\)/g;

/** Puts the style sheets that modules read into the bundle. */
export const inlineStyleSheets = {
  name: 'inline-style-sheets',
  setup: ({ onLoad }) =>
    onLoad({ filter: /style(?:sheet)?\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(READ, (_read, file) =>
        JSON.stringify(readFileSync(join(dirname(path), file), 'utf8')),
      ),
    })),
};
