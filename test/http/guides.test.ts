import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { createWorld, type World } from '../support/world.js';

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

  it('lists every guide in the index for assistants', async () => {
    const { text } = await world.anyone.get('/llms.txt').expect('content-type', 'text/plain; charset=utf-8');
    expect(
      GUIDES.filter((file) => file !== 'README.md' && !text.includes(`](/docs/guides/${file})`)),
    ).toEqual([]);
  });

  it.each(['/docs/guides/nothing.md', '/docs/guides/'])('has no %s', async (path) => {
    await world.anyone.get(path).expect(404);
  });
});
