/** In our own files, `./name.js` means `name.ts` or `name.tsx`, as it does for TypeScript. */
const extensionAlias = { '.js': ['.ts', '.tsx', '.js'] };

module.exports = (path, options) =>
  options.defaultResolver(
    path,
    options.basedir.includes('/node_modules/') ? options : { ...options, extensionAlias },
  );
