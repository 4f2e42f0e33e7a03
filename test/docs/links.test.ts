import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'integrations/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

describe('the documentation', () => {
  it.each(PAGES)('%s links only to files and headings that exist', (page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)];
    expect(links.map(([, link]) => link!).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it('is reachable as a whole from docs/README.md', () => {
    const door = readFileSync('docs/README.md', 'utf8');
    const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(pages.filter((page) => !door.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
  });

  it('lists the folders of src in the order in which they may import each other', () => {
    const [, list] = /^const FOLDERS = \[([^\]]*)\]/m.exec(readFileSync('oxlint.config.mjs', 'utf8'))!;
    const folders = [...list!.matchAll(/'([^']+)'/g)].map(([, folder]) => folder);
    const [, table] = /^## Folders$([^]*?)^## /m.exec(readFileSync('ARCHITECTURE.md', 'utf8'))!;
    const rows = [...table!.matchAll(/^\| (`[^|]+) \|/gm)].map(([, names]) => names!);
    const listed = rows.flatMap((names) => [...names.matchAll(/`([^`]+)\/`/g)].map(([, folder]) => folder));
    expect(listed.filter((folder) => existsSync(`src/${folder}`))).toEqual(folders);
  });
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path, anchor] = link.split('#') as [string, string | undefined];
  const file = path === '' ? page : join(dirname(page), path);
  return existsSync(file) && (anchor === undefined || headingsOf(file).includes(anchor));
}

/** The anchors that GitHub gives to headings. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
