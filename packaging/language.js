/** The language of the source files, for swc. */
export const LANGUAGE = {
  target: 'es2023',
  parser: { syntax: 'typescript', tsx: true, decorators: true },
  transform: {
    legacyDecorator: true,
    decoratorMetadata: true,
    react: { runtime: 'automatic', importSource: 'preact' },
  },
};
