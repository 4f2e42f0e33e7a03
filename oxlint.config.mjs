/** The folders of `src`, from the top down. A folder imports from those below it, never from those above. */
const FOLDERS = [
  'instance',
  'docs',
  'cli',
  'console',
  'mta',
  'replica',
  'provider-lists',
  'imports',
  'lifts',
  'exports',
  'scrubs',
  'counts',
  'jobs',
  'webhooks',
  'feed',
  'incidents',
  'inbound',
  'unsubscribe',
  'contacts',
  'mta-hooks',
  'suppressions',
  'rules',
  'unsubscribe-links',
  'topics',
  'audit-log',
  'ledger',
  'account-settings',
  'health',
  'rate-limit',
  'api-keys',
  'pseudonyms',
  'accounts',
  'announcements',
  'audit',
  'metrics',
  'secrets',
  'http',
  'database',
  'files',
  'email-address',
  'config',
  'validation',
  'tracing',
  'process',
];

/** The same inside `src/inbound`, below its controllers. */
const INBOUND_FOLDERS = ['inbox', 'projection', 'sources', 'providers', 'mail', 'policy', 'parsing'];

const message = 'Imports point down: oxlint.config.mjs has the order of the folders.';

/** The files of `src` itself put the folders together, so only the folders at the top import them. */
const ENTRY_FILES =
  '^(?:\\.\\./)+(?:app-env|app\\.module|create-app|main|schema|testing|write-docs|write-openapi)\\.js$';

const IMPORTS_ENTRY_FILES = ['instance', 'cli'];

function forbidImports(files, ...regexes) {
  const patterns = regexes.map((regex) => ({ regex, message }));
  return { files: [`src/${files}`], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/** Imports of the files that stand `levels` folders further up. */
function filesAbove(levels) {
  return `^(?:\\.\\./){${levels}}[^/]+\\.js$`;
}

function foldersAbove(folders, folder) {
  const above = folders.slice(0, folders.indexOf(folder));
  return `^(?:\\.\\./)+(?:${above.join('|') || '[^\\s\\S]'})/`;
}

export default {
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'import/no-cycle': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'off',
    'typescript/no-extraneous-class': 'off',
    'unicorn/no-array-sort': 'off',
    'no-await-in-loop': 'off',
    'import/no-unassigned-import': 'off',
    'no-process-exit': 'off',
    'import/no-named-as-default-member': 'off',
    'import/no-named-as-default': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-fill-with-reference-type': 'off',
    'no-unexpected-multiline': 'off',
  },
  overrides: [
    {
      files: ['src/**/*.tsx'],
      plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'react', 'jsx-a11y'],
      rules: {
        'react/no-danger': 'error',
        'react/react-in-jsx-scope': 'off',
        'react/no-unknown-property': 'off',
      },
    },
    ...FOLDERS.map((folder) => {
      const above = foldersAbove(FOLDERS, folder);
      return IMPORTS_ENTRY_FILES.includes(folder)
        ? forbidImports(`${folder}/**`, above)
        : forbidImports(`${folder}/**`, ENTRY_FILES, above);
    }),
    ...INBOUND_FOLDERS.flatMap((folder) => {
      const above = [ENTRY_FILES, foldersAbove(FOLDERS, 'inbound'), foldersAbove(INBOUND_FOLDERS, folder)];
      return [
        forbidImports(`inbound/${folder}/*`, ...above, filesAbove(1)),
        forbidImports(`inbound/${folder}/*/*`, ...above, filesAbove(2)),
      ];
    }),
  ],
  ignorePatterns: ['dist'],
};
