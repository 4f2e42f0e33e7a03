import { Body, Controller, Get, Module, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AppModule } from '../../src/app.module.js';
import { REQUEST_TIME_LIMIT_MS } from '../../src/config/time-limits.js';
import {
  HtmlDocument,
  HtmlPage,
  type HtmlResponse,
  SeeOther,
  StaticFile,
} from '../../src/http/responses/html-response.js';
import { Public, Route } from '../../src/http/route.js';
import { SuppressionNotFoundError } from '../../src/suppressions/errors.js';
import { skipTime } from '../support/clock.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { untilReceived } from '../support/until.js';

const STYLES = new StaticFile('text/css; charset=utf-8', 'body { color: black; }');
const HOSTILE = `"><script>alert('1')</script>&amp;`;

@Controller('test')
@Route({ response: 'html', body: 'form' })
@Public('These routes exist in this test only.')
class PagesController {
  @Get('page')
  page(): HtmlResponse {
    return (
      <HtmlDocument lang="de" title={HOSTILE} stylesheet="/test/styles.css">
        <input value={HOSTILE} />
      </HtmlDocument>
    );
  }

  @Get('gone')
  @Route({ script: true })
  gone(): HtmlResponse {
    return new HtmlPage(<HtmlDocument lang="en" title="Gone" children="" />, {
      status: 410,
      headers: { 'Set-Cookie': 'a=b' },
    });
  }

  @Get('styles.css')
  styles(): HtmlResponse {
    return STYLES;
  }

  @Post('form')
  form(@Body() fields: Record<string, string>): HtmlResponse {
    return new SeeOther(`/test/page?name=${encodeURIComponent(fields['name']!)}`);
  }

  @Get('missing')
  missing(): HtmlResponse {
    throw new SuppressionNotFoundError();
  }

  @Get('missing-in-style')
  @Route({
    response: 'html',
    errorPage: ({ statusCode }, { url }) => <main>{`${statusCode} for ${url}`}</main>,
  })
  missingInStyle(@Req() _request: Request): HtmlResponse {
    throw new SuppressionNotFoundError();
  }

  @Get('stuck')
  stuck(): Promise<HtmlResponse> {
    return new Promise(() => undefined);
  }
}

@Module({ controllers: [PagesController] })
class PagesModule {}

describe('a route of pages', () => {
  let database: TestDatabase;
  let service: TestApp;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startTestApp(database.url, {}, (env) => ({
      module: PagesModule,
      imports: [AppModule.forRoot(env)],
    }));
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  const get = (path: string) => fetch(`${service.url}/test/${path}`);
  const postForm = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(`${service.url}/test/form`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': type },
      body,
    });

  it('responds with a full document, in which everything is escaped', async () => {
    const html = await (await get('page')).text();
    expect(html).toMatch(/^<!doctype html><html lang="de"><head><meta charset="utf-8"/);
    expect(html).toContain('<link rel="stylesheet" href="/test/styles.css"/>');
    expect(html).not.toContain('<script');
    expect(html).toContain('<input value="&quot;>&lt;script>alert(\'1\')&lt;/script>&amp;amp;"/>');
  });

  it('forbids scripts, frames, caches, referrers, and indexes', async () => {
    const { headers } = await get('page');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex, nofollow',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    });
  });

  it('lets a page choose its status and its headers, and a route whether its pages load scripts', async () => {
    const { status, headers } = await get('gone');
    expect(status).toBe(410);
    expect(headers.get('set-cookie')).toBe('a=b');
    expect(headers.get('content-security-policy')).toContain("; script-src 'self'; connect-src 'self'");
  });

  it('serves a style sheet that browsers keep', async () => {
    const response = await get(`styles.css${STYLES.version}`);
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await response.text()).toBe(STYLES.text);
  });

  it('reads a form of at most 1 MiB, and redirects to a page', async () => {
    const response = await postForm('name=Ada+Lovelace');
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/test/page?name=Ada%20Lovelace',
    ]);
    expect((await postForm(`name=${'x'.repeat(1_024 ** 2)}`)).status).toBe(413);
    expect((await postForm('{"name":"Ada"}', 'application/json')).status).toBe(415);
  });

  it('responds to errors with pages, even at the deadline', async () => {
    const received = untilReceived(service.app.getHttpServer(), 3);
    const asked = ['missing', 'missing-in-style', 'stuck'].map(get);
    await received;
    await Promise.all(asked.slice(0, 2));
    skipTime(REQUEST_TIME_LIMIT_MS);
    const responses = await Promise.all(asked);
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 503]);
    const [missing, inStyle, stuck] = await Promise.all(responses.map((response) => response.text()));
    expect(missing).toContain('<h1>404 Not Found</h1><p>No suppression has this id or address.');
    expect(inStyle).toContain('<main>404 for /test/missing-in-style</main>');
    expect(stuck).toContain('<h1>503 Service Unavailable</h1>');
    for (const { headers } of responses) {
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-request-id')).toBeTruthy();
    }
  });
});
