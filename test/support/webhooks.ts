import type { Response } from 'supertest';
import { MetricsServer } from '../../src/metrics/metrics-server.js';
import { listen, type Endpoint } from './servers/endpoint.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';
import { sendPatiently, type World } from './world.js';

export const LOOPBACK = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

/** The current value of a metric of an instance with a METRICS_PORT. */
export async function metricOf({ app }: TestApp, name: string): Promise<number> {
  const text = await (await fetch(app.get(MetricsServer).url!)).text();
  const line = text.split('\n').find((one) => one.startsWith(`suppression_list_webhook${name} `))!;
  return Number(line.split(' ').at(-1));
}

export interface DeliveryRow {
  id: string;
  type: string;
  status: string;
  next_attempt_at: string | null;
  attempts: { http_status_code: number; response: string; error: string | null; sent_at: string }[];
}

/** A webhook of an account, and its endpoint. */
export class TestWebhook {
  private constructor(
    private readonly world: World,
    private readonly apiKey: string,
    readonly endpoint: Endpoint,
    readonly id: string,
    readonly signingSecret: string,
  ) {}

  static async create(
    world: World,
    apiKey: string,
    events: string[] = ['suppression.added', 'suppression.removed'],
  ): Promise<TestWebhook> {
    const endpoint = await listen();
    const { body } = await world
      .as(apiKey)
      .post('/webhooks')
      .send({ endpoint: endpoint.url, events })
      .expect(201);
    return new TestWebhook(world, apiKey, endpoint, body.id, body.signing_secret);
  }

  post(path: string, body: object = {}) {
    return this.world.as(this.apiKey).post(`/webhooks/${this.id}/${path}`).send(body);
  }

  patch(body: object) {
    return this.world.as(this.apiKey).patch(`/webhooks/${this.id}`).send(body);
  }

  async get(): Promise<Record<string, unknown>> {
    return (await this.read()).body;
  }

  async deliveries(query: object = {}): Promise<DeliveryRow[]> {
    return (await this.read('/deliveries', query)).body.data;
  }

  private async read(path = '', query: object = {}): Promise<Response> {
    const response = await sendPatiently(() =>
      this.world.as(this.apiKey).get(`/webhooks/${this.id}${path}`).query(query),
    );
    expect(response.status).toBe(200);
    return response;
  }

  /** Waits until the endpoint has been sent a number of events. */
  async receives(events: number): Promise<void> {
    await until(() => this.endpoint.received.length >= events);
  }

  /** Waits until the outcome of an attempt is stored. */
  async hasRecorded(attempts: number): Promise<void> {
    await until(async () => (await this.deliveries()).flatMap((one) => one.attempts).length >= attempts);
  }

  /** Lets the next attempt of every pending delivery begin now. */
  async skipWaiting(): Promise<void> {
    await this.world.database.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1 AND status = 'pending'`,
      [this.id],
    );
  }

  emails(): string[] {
    return this.endpoint.received.map(({ payload }) => String(payload.data.email));
  }
}
