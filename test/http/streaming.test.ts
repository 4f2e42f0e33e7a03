import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  Controller,
  createParamDecorator,
  Get,
  Module,
  Post,
  Req,
  Res,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { AppModule } from '../../src/app.module.js';
import { REQUEST_TIME_LIMIT_MS } from '../../src/config/time-limits.js';
import { MEBIBYTE, Public, Route } from '../../src/http/route.js';
import { bodyOf } from '../../src/http/body/unread-body.js';
import type { TracedResponse } from '../../src/http/responses/response.js';
import { sendStream } from '../../src/http/responses/send-stream.js';
import { skipTime } from '../support/clock.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until, untilReceived } from '../support/until.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const CHUNK = Buffer.alloc(16 * 1024, 'x');
const STREAM_SECONDS = 10;
const LEAST_CHUNKS = 11;
const CHUNK_EVERY_MS = 100;
const STREAM_LIMIT_MS = 30_000;
const SHORT_LIMIT_MS = 1_000;

const BodyStream = createParamDecorator((_data: unknown, context: ExecutionContext) => bodyOf(context));

@Controller('test')
@Public('These routes exist in this test only.')
class StreamsController {
  @Post('upload')
  @Route({ body: 'unread', bodyLimit: 2 * MEBIBYTE, timeLimitMs: STREAM_LIMIT_MS })
  async upload(@BodyStream() body: Readable): Promise<{ bytes: number }> {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
    }
    return { bytes };
  }

  @Get('download')
  @Route({ response: 'stream', timeLimitMs: STREAM_LIMIT_MS })
  download(@Req() request: Request, @Res() response: TracedResponse): Promise<void> {
    return sendStream(request, response, chunksForSeconds(STREAM_SECONDS), { contentType: 'text/csv' });
  }

  @Get('broken-download')
  @Route({ response: 'stream', timeLimitMs: STREAM_LIMIT_MS })
  brokenDownload(@Req() request: Request, @Res() response: TracedResponse): Promise<void> {
    return sendStream(request, response, brokenChunks(), { contentType: 'text/csv' });
  }

  @Get('endless-download')
  @Route({ response: 'stream', timeLimitMs: SHORT_LIMIT_MS })
  endlessDownload(@Req() request: Request, @Res() response: TracedResponse): Promise<void> {
    return sendStream(request, response, chunksForSeconds(Infinity), { contentType: 'text/csv' });
  }

  @Post('slow-upload')
  @Route({ body: 'unread', timeLimitMs: SHORT_LIMIT_MS })
  slowUpload(@BodyStream() body: Readable): Promise<{ bytes: number }> {
    return this.upload(body);
  }

  @Post('json')
  json(): object {
    return { object: 'test' };
  }

  @Get('stuck')
  stuck(): Promise<object> {
    return new Promise(() => undefined);
  }
}

@Module({ controllers: [StreamsController] })
class StreamsModule {}

async function* brokenChunks(): AsyncGenerator<Buffer> {
  yield CHUNK;
  throw new Error('the source of the stream failed');
}

async function* chunksForSeconds(seconds: number): AsyncGenerator<Buffer> {
  const end = performance.now() + seconds * 1_000;
  for (let chunks = 0; chunks < LEAST_CHUNKS || performance.now() < end; chunks++) {
    yield CHUNK;
    await delay(CHUNK_EVERY_MS);
  }
}

describe('a route with options of its own', () => {
  let database: TestDatabase;
  let service: TestApp;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startTestApp(database.url, {}, (env) => ({
      module: StreamsModule,
      imports: [AppModule.forRoot(env)],
    }));
  });
  afterAll(async () => {
    const closed = service.close();
    // Of the request that was aborted. The server would wait a minute for its headers.
    service.app.getHttpServer().closeAllConnections();
    await closed;
    await database.drop();
  });

  const get = (path: string) => fetch(`${service.url}/test/${path}`);
  const post = (path: string, body: Readable) =>
    fetch(`${service.url}/test/${path}`, {
      method: 'POST',
      body: Readable.toWeb(body) as ReadableStream,
      duplex: 'half',
    } as RequestInit);

  it('streams for ten seconds in and out, while JSON routes keep their 4.5 seconds', async () => {
    const received = untilReceived(service.app.getHttpServer(), 3);
    const upload = post('upload', Readable.from(chunksForSeconds(STREAM_SECONDS)));
    const download = get('download').then(async (response) => {
      expect(response.headers.get('content-type')).toBe('text/csv');
      expect(response.headers.get('x-request-id')).toBeTruthy();
      return (await response.arrayBuffer()).byteLength;
    });
    const stuck = get('stuck');
    const ended: string[] = [];
    void upload.then(() => ended.push('upload'));
    void download.then(() => ended.push('download'));
    await received;
    skipTime(REQUEST_TIME_LIMIT_MS);
    const response = await stuck;
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'service_unavailable' });
    expect(ended).toEqual([]);
    skipTime(STREAM_SECONDS * 1_000 - REQUEST_TIME_LIMIT_MS);
    const [uploaded, downloadedBytes] = await Promise.all([upload, download]);
    expect(uploaded.status).toBe(201);
    const { bytes } = (await uploaded.json()) as { bytes: number };
    expect(bytes).toBeGreaterThanOrEqual(LEAST_CHUNKS * CHUNK.length);
    expect(downloadedBytes).toBeGreaterThanOrEqual(LEAST_CHUNKS * CHUNK.length);
  });

  it('ends a stream at its own time limit', async () => {
    const endless = get('endless-download').then((response) => response.arrayBuffer());
    const [slow] = await Promise.all([
      post('slow-upload', Readable.from(chunksForSeconds(Infinity))),
      expect(endless).rejects.toThrow(),
    ]);
    expect(slow.status).toBe(503);
  });

  it('refuses a stream beyond its body limit, declared or not', async () => {
    const declared = await fetch(`${service.url}/test/upload`, {
      method: 'POST',
      body: Buffer.alloc(2 * MEBIBYTE + 1),
    });
    const undeclared = await post('upload', Readable.from(Array<Buffer>(129).fill(CHUNK)));
    for (const response of [declared, undeclared]) {
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({
        message: 'The body is larger than 2 MiB. Split it into several requests.',
      });
    }
  });

  it('closes the connection of a stream that fails, so that nobody takes it for complete', async () => {
    await expect(get('broken-download').then((response) => response.arrayBuffer())).rejects.toThrow();
  });

  it('refuses HTTP/1.0, whose callers cannot tell that a stream broke off', async () => {
    const { host, port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /test/broken-download HTTP/1.0\r\nHost: ${host}\r\n\r\n`);
    const response = await text(socket);
    expect(response).toMatch(/^HTTP\/1\.1 426 /);
    expect(response).toMatch(/^connection: Upgrade, close\r$/im);
    expect(response).toMatch(/^upgrade: HTTP\/1\.1\r$/im);
    expect(response).toContain('"code":"http_version_too_old"');
  });

  it('logs a stream that its caller aborts as a closed connection, not as an error', async () => {
    const end = new AbortController();
    const headers = { 'accept-encoding': 'identity' };
    const download = await fetch(`${service.url}/test/download`, { signal: end.signal, headers });
    const body = download.body!.getReader();
    await body.read();
    const upload = fetch(`${service.url}/test/upload`, {
      method: 'POST',
      body: Readable.toWeb(Readable.from(chunksForSeconds(STREAM_SECONDS))),
      duplex: 'half',
      signal: end.signal,
    } as RequestInit);
    const before = service.logLines().length;
    end.abort();
    await upload.catch(() => undefined);
    const lines = () => service.logLines().slice(before);
    await until(() => lines().filter(({ msg }) => String(msg).startsWith('connection closed')).length > 0);
    expect(lines().filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('reads JSON of at most 1 MiB', async () => {
    const send = async (bytes: number) => {
      const response = await fetch(`${service.url}/test/json`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'x'.repeat(bytes) }),
      });
      await response.text();
      return response.status;
    };
    expect(await send(MEBIBYTE / 2)).toBe(201);
    expect(await send(MEBIBYTE)).toBe(413);
  });
});
