import { setTimeout as delay } from 'node:timers/promises';
import { countLines } from './count-lines.js';

const POLL_MS = 50;
const MAX_SHOWN = 500;

/** The work with files, as a client of the service asks for it. */
export class FileClient {
  constructor(
    private readonly port: number,
    private readonly apiKey: string,
  ) {}

  /** Uploads a file and waits for the end of its import. Returns the records that changed. */
  async import(file: string): Promise<number> {
    const { id } = (await (await this.ask('/imports', file)).json()) as { id: string };
    for (;;) {
      const response = await this.ask(`/imports/${id}`);
      const { status, added, strengthened } = (await response.json()) as ImportBody;
      if (status === 'completed') {
        return added + strengthened;
      }
      if (status === 'failed') {
        throw new Error('The import failed.');
      }
      await delay(POLL_MS);
    }
  }

  /** Returns the lines without the header. */
  async export(createdBefore: string): Promise<number> {
    const query = new URLSearchParams({ format: 'csv', created_before: createdBefore });
    return (await countLines((await this.ask(`/exports?${query}`)).body!)) - 1;
  }

  /** Returns the rows that are left. */
  async scrub(file: string): Promise<number> {
    return (await countLines((await this.ask('/scrubs', file)).body!)) - 1;
  }

  private async ask(path: string, file?: string): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.apiKey}`, 'Accept-Encoding': 'identity' };
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      headers: file ? { ...headers, 'Content-Type': 'text/csv' } : headers,
      ...(file && { method: 'POST', body: file }),
    });
    if (!response.ok) {
      throw new Error(`${path}: status ${response.status}: ${(await response.text()).slice(0, MAX_SHOWN)}`);
    }
    return response;
  }
}

interface ImportBody {
  status: string;
  added: number;
  strengthened: number;
}
