import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { lexer } from 'marked';
import { Markdown } from '../../src/docs/markdown.js';
import { renderHtml } from '../../src/http/responses/html-response.js';
import { createWorld, type World } from '../support/world.js';

/** As Chromium sends it. */
const OF_BROWSERS = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const GUIDES = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
);

describe('the guides', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it.each(GUIDES)('has %s as text that may be cached', async (file) => {
    const response = await world.anyone.get(`/docs/guides/${file}`).expect(200);
    expect(response.text).toBe(readFileSync(`docs/${file}`, 'utf8'));
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    });
    await world.anyone.get(`/docs/guides/${file}`).set('If-None-Match', response.headers.etag!).expect(304);
  });

  it.each(['/docs/guides', '/docs/guides/'])('leads from %s to their overview', async (path) => {
    await world.anyone.get(path).expect(302).expect('location', '/docs/guides/README.md');
  });

  it.each(['/docs/guides/samples/suppressions.py', '/docs/integrations/go/suppressionlist.go'])(
    'shows %s as text',
    async (path) => {
      await world.anyone.get(path).expect(200).expect('content-type', 'text/plain; charset=utf-8');
    },
  );

  it.each(['/llms.txt', '/docs/README.md', '/docs/guides/README.md'])(
    'has links in %s that lead to other guides',
    async (page) => {
      const { text } = await world.anyone.get(page).expect(200);
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]+\.md)/g)].map(([, link]) => link!);
      expect(links.length).toBeGreaterThan(5);
      const targets = links.map((link) => (link.startsWith('/') ? link : join(dirname(page), link)));
      for (const target of new Set(targets.filter((path) => !path.includes('bench/')))) {
        await world.anyone.get(target).expect(200);
      }
    },
  );

  it.each([
    ...GUIDES.map((file) => `/docs/guides/${file}`),
    '/docs/README.md',
    '/docs/integrations/README.md',
  ])('shows %s to a browser as a page whose links lead somewhere', async (path) => {
    const page = await world.anyone.get(path).set('Accept', OF_BROWSERS).expect(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept',
    });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).toContain('<h1 id=');
    const external = [...page.text.matchAll(/href="(https?:[^"]+)"/g)].map(([, link]) => link!);
    expect(external.filter((link) => !URL.canParse(link))).toEqual([]);
    const urls = [...page.text.matchAll(/(?:href|src)="(?!https?:|mailto:|\/console")([^"]+)"/g)];
    for (const url of new Set(urls.map(([, link]) => link!))) {
      const [target, anchor] = url.split('#') as [string, string?];
      const { text } = await world.anyone
        .get(target || path)
        .set('Accept', OF_BROWSERS)
        .redirects(1)
        .expect(200);
      expect([url, anchor === undefined || text.includes(` id="${anchor}"`)]).toEqual([url, true]);
    }
  });

  it.each([undefined, '*/*', 'text/markdown, text/html, */*', 'text/plain'])(
    'are text for clients that accept %s',
    async (accepted) => {
      const request = world.anyone.get('/docs/guides/console.md');
      const { text } = await (accepted ? request.set('Accept', accepted) : request)
        .expect('content-type', 'text/plain; charset=utf-8')
        .expect('vary', 'Accept');
      expect(text).toBe(readFileSync('docs/console.md', 'utf8'));
    },
  );

  it('shows HTML in Markdown as text, and leaves out links that lead nowhere', () => {
    const text =
      'A <img src=x onerror=alert(1)> and [a file](../secret) <!-- note -->\n\n<script>alert(2)</script>';
    const page = renderHtml(Markdown({ tokens: lexer(text), urlOf: () => undefined }));
    expect(page).toBe(
      '<!doctype html><p>A &lt;img src=x onerror=alert(1)> and a file </p>&lt;script>alert(2)&lt;/script>\n',
    );
  });

  it('gives each heading its own anchor, as GitHub does, and shows the boxes of a list of tasks', () => {
    const text = '# A `b`\n## A b\n## A b\n\n* [ ] Set *it*\n* [x] Done\n';
    const page = renderHtml(Markdown({ tokens: lexer(text), urlOf: () => undefined }));
    expect(page).toBe(
      '<!doctype html><h1 id="a-b">A <code>b</code></h1><h2 id="a-b-1">A b</h2><h2 id="a-b-2">A b</h2>' +
        '<ul><li>☐ Set <em>it</em></li><li>☑ Done</li></ul>\n',
    );
  });

  it('lists every guide in the index for assistants', async () => {
    const { text } = await world.anyone.get('/llms.txt').expect('content-type', 'text/plain; charset=utf-8');
    expect(
      GUIDES.filter((file) => file !== 'README.md' && !text.includes(`](/docs/guides/${file})`)),
    ).toEqual([]);
  });

  it.each(['/docs/guides/nothing.md', '/docs/guides/samples/'])('has no %s', async (path) => {
    await world.anyone.get(path).expect(404);
  });
});
