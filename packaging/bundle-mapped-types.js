import { readFileSync } from 'node:fs';

/**
 * DTOs that are made of other DTOs take over their fields from class-transformer, which `@nestjs/mapped-types` loads by a `require`
 * of its own. A bundle would get a second copy, and its DTOs would lose these fields.
 */
export const bundleMappedTypes = {
  name: 'bundle-mapped-types',
  setup: ({ onLoad }) =>
    onLoad({ filter: /mapped-types\/dist\/type-helpers\.utils\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace('const require = createRequire(import.meta.url);', '')
        .replace("'class-transformer/storage'", "'class-transformer/cjs/storage'"),
    })),
};
