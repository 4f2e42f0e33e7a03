import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Child } from '../support/child-process.js';
import { createSource, sparkpostBatch } from '../support/sources.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN_ID = '00f067aa0ba902b7';
const SERVER = 2;
const CLIENT = 3;
const STATUS_ERROR = 2;

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code: number };
}

describe('traces', () => {
  let world: World;
  let folder: string;
  let collector: Collector;
  let service: Child;
  let url: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-traces-'));
    collector = await Collector.start();
    service = Child.service(
      {
        DATABASE_URL: world.database.url,
        SECRETS_KEY: TEST_SECRETS_KEY,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '50',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
      folder,
    );
    url = (await service.says(/listening on (http:[^"]+)/))[1]!;
  });
  afterAll(async () => {
    service.kill('SIGKILL');
    await service.ended;
    await collector.stop();
    await world.close();
    await rm(folder, { recursive: true });
  });

  it('continue the trace of the caller, with a span for the request and one for the statement', async () => {
    const response = await fetch(`${url}/suppressions/private@example.com`, {
      headers: {
        authorization: `Bearer ${world.alice}`,
        traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-01`,
      },
    });
    expect(response.status).toBe(404);
    const request = await collector.find('GET /suppressions/:suppression');
    expect(request).toMatchObject({ traceId: TRACE_ID, parentSpanId: CALLER_SPAN_ID, kind: SERVER });
    expect(attributesOf(request)).toMatchObject({
      'http.route': '/suppressions/:suppression',
      'http.response.status_code': 404,
    });
    const statement = await collector.find('find-suppressions-by-emails');
    expect(statement).toMatchObject({ traceId: TRACE_ID, parentSpanId: request.spanId, kind: CLIENT });
    expect(attributesOf(statement)).toMatchObject({ 'db.system.name': 'postgresql' });
  });

  it('have a span for a delivery, which names its source', async () => {
    const source = await createSource(world, 'sparkpost');
    const { secrets, path } = source;
    const credential = Buffer.from(`${secrets.username}:${secrets.password}`).toString('base64');
    const batch = [{ type: 'bounce', bounce_class: '10', raw_rcpt_to: 'private@example.com' }];
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Basic ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(sparkpostBatch(batch)),
    });
    expect(response.status).toBe(200);
    const delivery = await collector.find('delivery');
    const stored = await collector.find('store-delivery-events');
    expect(stored.parentSpanId).toBe(delivery.spanId);
    expect(attributesOf(delivery)).toEqual({
      'suppression_list.provider': 'sparkpost',
      'suppression_list.source': source.id,
    });
  });

  it('have a span for a job, with its statements', async () => {
    const response = await fetch(`${url}/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.alice}`, 'content-type': 'text/csv' },
      body: 'email\nprivate@example.com\n',
    });
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    const job = await collector.find('job import');
    expect(attributesOf(job)).toEqual({ 'suppression_list.job': id });
    expect((await collector.find('read-job-piece')).traceId).toBe(job.traceId);
  });

  it('mark what failed', async () => {
    const { release } = await world.database.lock('suppressions');
    const response = await fetch(`${url}/suppressions/waits@example.com`, {
      headers: { authorization: `Bearer ${world.alice}` },
    });
    await release();
    expect(response.status).toBe(503);
    const failed = () => collector.spans.find(({ status }) => status.code === STATUS_ERROR);
    await until(() => failed() !== undefined);
    expect(Object.keys(attributesOf(failed()!))).toContain('error.type');
  });

  it('hold no address and no key, and name the service', () => {
    expect(collector.received).not.toMatch(/private@|private%40|waits@|sup_/);
    expect(collector.received).toContain('"suppression-list-service"');
    expect(collector.received).toContain('"deployment.environment.name"');
  });

  it('are named in the log', async () => {
    await fetch(`${url}/suppressions`, { headers: { 'x-request-id': 'logged' } });
    await service.says(/"request_id":"logged","trace_id":"[0-9a-f]{32}"/);
  });

  it('are sent before the service ends', async () => {
    const before = collector.spans.length;
    await fetch(`${url}/healthz`);
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, problems: [] });
    expect(collector.spans.slice(before).map(({ name }) => name)).toContain('GET /healthz');
  });

  it('do not keep the service from ending if the collector does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const other = Child.service(
      {
        DATABASE_URL: world.database.url,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
        OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
        OTEL_BSP_EXPORT_TIMEOUT: '3600000',
      },
      folder,
    );
    const [, otherUrl] = await other.says(/listening on (http:[^"]+)/);
    await fetch(`${otherUrl}/healthz`);
    other.kill('SIGTERM');
    expect(await other.ended).toMatchObject({ code: 0, problems: [] });
    silent.close();
  });
});

/** What listens where an OpenTelemetry collector would. */
class Collector {
  received = '';
  readonly spans: Span[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Collector> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const collector = new Collector(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', async (request, response) => {
      const body = await text(request);
      collector.received += body;
      for (const { scopeSpans } of JSON.parse(body).resourceSpans) {
        collector.spans.push(...scopeSpans.flatMap(({ spans }: { spans: Span[] }) => spans));
      }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    return collector;
  }

  async find(name: string): Promise<Span> {
    const found = () => this.spans.find((span) => span.name === name);
    await until(() => found() !== undefined);
    return found()!;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }
}

function attributesOf({ attributes }: Span): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
