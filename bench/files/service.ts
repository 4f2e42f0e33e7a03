import { setTimeout as delay } from 'node:timers/promises';
import { countLines } from './count-lines.js';

const POLL_MS = 50;
const MAX_SHOWN = 500;
const ENDS = ['completed', 'failed', 'cancelled'];

/** The work with files, as a client of the service asks for it. */
export class FileClient {
  constructor(
    private readonly port: number,
    private readonly apiKey: string,
  ) {}

  /** Uploads a file and waits for the end of its import. Returns the records that changed. */
  async import(file: string): Promise<number> {
    const { added, strengthened } = await this.untilEnded(await this.upload(file), 'completed');
    return added + strengthened;
  }

  /** Uploads a file and waits until its first rows are imported. Returns the id of the import. */
  async startImport(file: string): Promise<string> {
    const id = await this.upload(file);
    while ((await this.readImport(id)).rows === 0) {
      await delay(POLL_MS);
    }
    return id;
  }

  /** Stops an import that must still be running. */
  async cancelImport(id: string): Promise<void> {
    await this.ask(`/imports/${id}/cancel`, '');
    await this.untilEnded(id, 'cancelled');
  }

  private async upload(file: string): Promise<string> {
    return ((await (await this.ask('/imports', file)).json()) as ImportBody).id;
  }

  private async readImport(id: string): Promise<ImportBody> {
    return (await (await this.ask(`/imports/${id}`)).json()) as ImportBody;
  }

  private async untilEnded(id: string, wanted: string): Promise<ImportBody> {
    for (;;) {
      const body = await this.readImport(id);
      if (body.status === wanted) {
        return body;
      }
      if (ENDS.includes(body.status)) {
        throw new Error(`The import is ${body.status}, not ${wanted}.`);
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
      ...(file !== undefined && { method: 'POST', body: file }),
    });
    if (!response.ok) {
      throw new Error(`${path}: status ${response.status}: ${(await response.text()).slice(0, MAX_SHOWN)}`);
    }
    return response;
  }
}

interface ImportBody {
  id: string;
  rows: number;
  status: string;
  added: number;
  strengthened: number;
}
