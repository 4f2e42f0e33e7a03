import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { HttpServer } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';

/** The service runs from `src/` in tests and from `dist/src/` otherwise. */
const PACKAGE = ['../../', '../../../']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => existsSync(`${folder}package.json`))!;
const GUIDES = `${PACKAGE}docs`;
/** What guides link to outside of their folder. */
const FILES_OF_PACKAGE = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const CACHED = 'public, max-age=3600';
/** Browsers show plain text, and download `text/markdown` and programs. */
const TYPE = 'text/plain; charset=utf-8';

const SUMMARY = `# Suppression list service

> One suppression list for all mail providers and a company's own mail servers: the addresses that must not be mailed, each with
> the reason and the date. Its interface is the Resend API, so that Resend's official clients work unchanged.

- [OpenAPI document](/openapi.json): every operation, with examples
- [Overview](/docs/README.md): the first steps
- [Concepts](/docs/guides/concepts.md): the words that all guides use
`;

/**
 * Serves the guides as Markdown, for readers without the repository: `docs/` at /docs/guides, `integrations/`, the files of the package at /docs,
 * and an index at /llms.txt (https://llmstxt.org). The testing package has no guides.
 */
export function serveGuides(app: NestExpressApplication): void {
  if (!existsSync(GUIDES)) {
    return;
  }
  for (const [prefix, folder] of [
    ['/docs/guides', GUIDES],
    ['/docs/integrations', `${PACKAGE}integrations`],
  ] as const) {
    app.useStaticAssets(folder, {
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
  adapter.get('/llms.txt', async (_request: Request, response: Response) => {
    response.set({ 'Cache-Control': CACHED, 'Content-Type': TYPE }).send(SUMMARY + (await guidesByReader()));
  });
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
