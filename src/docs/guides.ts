import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import type { HttpServer } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { renderHtml } from '../http/responses/html-response.js';
import { toUrl } from '../process/to-url.js';
import { GuidePage } from './guide-page.js';

/** The service runs from `src/` in tests and from `dist/src/` otherwise. */
const PACKAGE = ['../../', '../../../']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => existsSync(`${folder}package.json`))!;
const GUIDES = `${PACKAGE}docs`;
/** The files outside of their folder to which guides link. */
const FILES_OF_PACKAGE = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const CACHED = 'public, max-age=3600';
/** Browsers show plain text, and download `text/markdown` and programs. */
const TYPE = 'text/plain; charset=utf-8';
/** Only browsers prefer the last one: curl accepts all types equally, and agents ask for Markdown. */
const TYPES_OF_PAGES = ['text/plain', 'text/markdown', 'text/html'];
/** The folders that are served, by their URLs. */
const FOLDERS = { '/docs/guides': 'docs', '/docs/integrations': 'integrations' };

const SUMMARY = `# Suppression list service

> One suppression list for all mail providers and a company's own mail servers: the addresses that must not be mailed, each with
> the reason and the date. Its interface is the Resend API, so that Resend's official clients work unchanged.

- [OpenAPI document](/openapi.json): every operation, with examples
- [Overview](/docs/README.md): the first steps
- [Concepts](/docs/guides/concepts.md): the words that all guides use
`;

/**
 * Serves the guides to readers without the repository, as pages to browsers and as Markdown to others: `docs/` at /docs/guides,
 * `integrations/`, the files of the package at /docs, and an index at /llms.txt (https://llmstxt.org). The testing package has
 * no guides.
 */
export function serveGuides(app: NestExpressApplication): void {
  if (!existsSync(GUIDES)) {
    return;
  }
  app.use('/docs', guidePages());
  for (const [prefix, folder] of Object.entries(FOLDERS)) {
    app.useStaticAssets(`${PACKAGE}${folder}`, {
      prefix,
      index: false,
      redirect: false,
      setHeaders: (response, path) => {
        response.setHeader('Cache-Control', CACHED);
        if (!path.endsWith('.png')) {
          response.setHeader('Content-Type', TYPE);
        }
      },
    });
  }
  const adapter: HttpServer = app.getHttpAdapter();
  for (const file of FILES_OF_PACKAGE) {
    adapter.get(`/docs/${file}`, async (_request: Request, response: Response) => {
      const text = await readFile(`${PACKAGE}${file}`, 'utf8');
      response
        .set({ 'Cache-Control': CACHED, 'Content-Type': TYPE })
        .send(text.replaceAll('](docs/', '](guides/'));
    });
  }
  adapter.get('/docs/guides', (_request: Request, response: Response) =>
    response.redirect('/docs/guides/README.md'),
  );
  adapter.get('/llms.txt', async (_request: Request, response: Response) => {
    response.set({ 'Cache-Control': CACHED, 'Content-Type': TYPE }).send(SUMMARY + (await guidesByReader()));
  });
}

/** Responds to browsers that open a Markdown file. */
function guidePages() {
  const files = servedFiles();
  const urls = new Map([...files].map(([url, file]) => [file, url]));
  const pages = new Map<string, string>();
  const render = async (path: string, file: string): Promise<string> => {
    const markdown = await readFile(`${PACKAGE}${file}`, 'utf8');
    const urlOf = (href: string) => {
      const [, target, anchor] = /^([^#]*)(.*)$/.exec(href)!;
      const url = target ? urls.get(join(dirname(file), target)) : '';
      // Marked takes `http://HOST:PORT` for a link, too.
      const isExternal = /^(?:https?|mailto):/.test(href) && toUrl(href);
      return isExternal ? href : url === undefined ? undefined : `${url}${anchor}`;
    };
    return renderHtml(GuidePage({ markdown, path, urlOf }));
  };
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const path = `${request.baseUrl}${request.path}`;
    const file = files.get(path);
    if (!file?.endsWith('.md')) {
      return next();
    }
    response.vary('Accept');
    if (!['GET', 'HEAD'].includes(request.method) || request.accepts(TYPES_OF_PAGES) !== 'text/html') {
      return next();
    }
    // Rendering takes up to a tenth of a second of CPU time, and needs no API key.
    const page = pages.get(path) ?? (await render(path, file));
    pages.set(path, page);
    response.set('Cache-Control', CACHED).type('html').send(page);
  };
}

/** The files to which guides can link, relative to the package, by their URLs. */
function servedFiles(): Map<string, string> {
  return new Map([
    ['/openapi.json', 'openapi.json'],
    ...FILES_OF_PACKAGE.map((file) => [`/docs/${file}`, file] as const),
    ...Object.entries(FOLDERS).flatMap(([prefix, folder]) =>
      readdirSync(`${PACKAGE}${folder}`, { recursive: true, encoding: 'utf8' }).map(
        (file) => [`${prefix}/${file}`, `${folder}/${file}`] as const,
      ),
    ),
  ]);
}

/** The chapters of docs/README.md with links that work from the root. */
async function guidesByReader(): Promise<string> {
  const text = await readFile(`${GUIDES}/README.md`, 'utf8');
  return text
    .slice(text.indexOf('\n## '))
    .replaceAll('](../', '](/docs/')
    .replaceAll(/\]\((?=[\w-]+[/.])/g, '](/docs/guides/')
    .replaceAll(/^\d+\. /gm, '- ');
}
