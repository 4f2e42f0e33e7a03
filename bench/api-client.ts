import { setTimeout as delay } from 'node:timers/promises';
import { countLines } from './files/content.js';

const POLL_MS = 50;
const ENDED = ['completed', 'failed', 'cancelled'];

export interface ApiRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The only expected status; by default, any from 200 to 299. */
  status?: number;
}

export interface JobBody {
  id: string;
  status: string;
  rows: number;
  added: number;
  strengthened: number;
}

/** Calls the service where only the result matters, not the cost of the client. */
export class ApiClient {
  constructor(
    private readonly port: number,
    private readonly apiKey: string,
  ) {}

  /** @throws if the status is not the expected one */
  async request(path: string, { method, headers, body, status }: ApiRequest = {}): Promise<Response> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { Authorization: `Bearer ${this.apiKey}`, 'Accept-Encoding': 'identity', ...headers },
      ...(body !== undefined && { body }),
    });
    if (status === undefined ? !response.ok : response.status !== status) {
      const text = (await response.text()).slice(0, 500);
      throw new Error(`${path}: status ${response.status}, not ${status ?? 'successful'}: ${text}`);
    }
    return response;
  }

  async post(path: string, body: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    await (await this.request(path, { headers, body: JSON.stringify(body), status: 201 })).arrayBuffer();
  }

  /** Uploads a file. Returns the id of the import. */
  async startImport(file: string): Promise<string> {
    return ((await (await this.upload('/imports', file)).json()) as JobBody).id;
  }

  /** Uploads a file and waits for the end of its import. Returns the number of records that changed. */
  async import(file: string): Promise<number> {
    const id = await this.startImport(file);
    const { added, strengthened } = await this.untilImport(id, ({ status }) => status === 'completed');
    return added + strengthened;
  }

  /** Returns the number of lines without the header. */
  async export(createdBefore: string): Promise<number> {
    const query = new URLSearchParams({ format: 'csv', created_before: createdBefore });
    return (await countLines((await this.request(`/exports?${query}`)).body!)) - 1;
  }

  /** Returns the number of remaining rows. */
  async scrub(file: string): Promise<number> {
    return (await countLines((await this.upload('/scrubs', file)).body!)) - 1;
  }

  /** Polls an import until a condition holds. */
  async untilImport(id: string, condition: (job: JobBody) => boolean): Promise<JobBody> {
    for (;;) {
      const job = (await (await this.request(`/imports/${id}`)).json()) as JobBody;
      if (condition(job)) {
        return job;
      }
      if (ENDED.includes(job.status)) {
        throw new Error(`The import is ${job.status}.`);
      }
      await delay(POLL_MS);
    }
  }

  private upload(path: string, csv: string): Promise<Response> {
    return this.request(path, { headers: { 'Content-Type': 'text/csv' }, body: csv });
  }
}
