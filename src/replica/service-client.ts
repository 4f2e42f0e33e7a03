import { setTimeout as delay } from 'node:timers/promises';
import type { Cause } from '../ledger/cause.js';
import { withTimeLimit } from '../process/time-limit.js';
import type { Subscription } from '../topics/topic.entity.js';
import { ServiceRefusedError, ServiceUnreachableError } from './errors.js';
import type { Settings } from './stored-copy.js';

/** Longer than a request may take, including the wait for changes. A request and its repeats share this time. */
const TIMEOUT_MS = 40_000;

const SCOPE_MISSING = [401, 403];
/** Too many requests, or the database does not respond. */
const REPEATED = [429, 503];
const MAX_REPEATS = 5;
const MAX_RETRY_AFTER_SECONDS = 5;

/** The fields of a change that a replica reads. */
export interface Change {
  type: string;
  email: string;
  suppression: { id: string } | null;
  causes: Cause[];
  expires_at: string | null;
  topic: { id: string; subscription: Subscription } | null;
}

export interface ChangesPage {
  has_more: boolean;
  cursor: string;
  data: Change[];
}

export interface ExportedRecord {
  id: string;
  email: string;
  causes: Cause[];
  expires_at: string | null;
}

export interface ExportedPreference {
  email: string;
  subscription: Subscription;
}

interface AccountResponse {
  complaint_reach: Settings['complaintReach'];
  rules_version: string | null;
  /** Undefined in responses of an older service. */
  kept_blocks_version?: string | null;
}

interface PseudonymKeyResponse {
  key: string | null;
  /** Undefined in responses of an older service. */
  filters?: Record<string, number> | null;
}

type PseudonymKey = Pick<Settings, 'pseudonymKey' | 'blockFilters'>;

const NO_KEY: PseudonymKey = { pseudonymKey: null, blockFilters: null };

interface ErrorResponse {
  code?: string;
  message?: string;
  errors?: { path: string }[];
}

/** A file that is arriving, and the cursor to continue from. */
export interface Export<Row> {
  cursor: string;
  rows: AsyncIterable<Row>;
  /** Ends an export whose rows are not read. */
  cancel: () => Promise<void>;
}

export class ServiceClient {
  /** @param stopping - ends all requests */
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly stopping: AbortSignal,
  ) {}

  readChanges(after: string, waitSeconds: number): Promise<ChangesPage> {
    const query = new URLSearchParams({ after, limit: '1000', wait: String(waitSeconds) });
    return this.getJson(`/changes?${query}`);
  }

  exportRecords(): Promise<Export<ExportedRecord>> {
    return this.exportRows('format=ndjson');
  }

  exportPreferences(topicId: string): Promise<Export<ExportedPreference>> {
    return this.exportRows(`format=ndjson&topic=${topicId}`);
  }

  /**
   * Rules and the pseudonym key are read after their versions, so they are at these versions or later ones, which the next call
   * will find.
   *
   * @param previous - the settings of the same account read before, whose rules and key are reused if the versions are the same
   */
  async readSettings(previous: Settings | undefined): Promise<Settings> {
    const [account, topics] = await Promise.all([
      this.getJson<AccountResponse>('/account'),
      this.listAll<Settings['topics'][number]>('/topics'),
    ]);
    const { complaint_reach: complaintReach, rules_version: rulesVersion } = account;
    const keptBlocksVersion = account.kept_blocks_version ?? null;
    const isKnown =
      previous?.keptBlocksVersion === keptBlocksVersion &&
      previous.pseudonymKey &&
      previous.blockFilters !== undefined;
    const { pseudonymKey, blockFilters } =
      keptBlocksVersion === null ? NO_KEY : isKnown ? previous : await this.readPseudonymKey();
    const rules =
      previous && rulesVersion === previous.rulesVersion
        ? previous.rules
        : await this.listAll<Settings['rules'][number]>('/rules');
    return { complaintReach, topics, rules, rulesVersion, keptBlocksVersion, pseudonymKey, blockFilters };
  }

  /** Returns {@link NO_KEY} if the API key may not read it. */
  private async readPseudonymKey(): Promise<PseudonymKey> {
    try {
      const { key, filters } = await this.getJson<PseudonymKeyResponse>('/pseudonym-key');
      return { pseudonymKey: key, blockFilters: filters };
    } catch (error) {
      if (error instanceof ServiceRefusedError && SCOPE_MISSING.includes(error.statusCode)) {
        return NO_KEY;
      }
      throw error;
    }
  }

  private async listAll<Element extends { id: string }>(path: string): Promise<Element[]> {
    const elements: Element[] = [];
    for (;;) {
      const after = elements.length > 0 ? `&after=${elements.at(-1)!.id}` : '';
      const page = await this.getJson<{ has_more: boolean; data: Element[] }>(`${path}?limit=100${after}`);
      elements.push(...page.data);
      if (!page.has_more) {
        return elements;
      }
    }
  }

  private async exportRows<Row>(query: string): Promise<Export<Row>> {
    const response = await this.get(`/exports?${query}`, this.stopping);
    return {
      cursor: response.headers.get('changes-cursor')!,
      rows: this.parseLines(response),
      cancel: () => response.body!.cancel(),
    };
  }

  /**
   * The lines of NDJSON.
   *
   * @throws {ServiceUnreachableError} if the response breaks off, or ends in the middle of a line
   */
  private async *parseLines<Row>(response: Response): AsyncGenerator<Row> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this.chunksOf(response)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        yield JSON.parse(line) as Row;
      }
    }
    if (rest !== '') {
      throw this.brokenOff();
    }
  }

  private async *chunksOf(response: Response): AsyncGenerator<Uint8Array> {
    try {
      yield* response.body! as AsyncIterable<Uint8Array>;
    } catch (cause) {
      throw this.stopping.aborted ? cause : this.brokenOff(cause);
    }
  }

  private brokenOff(cause?: unknown): ServiceUnreachableError {
    return new ServiceUnreachableError(this.url, { cause }, 'ended the connection while the list was read');
  }

  private async getJson<Body>(path: string): Promise<Body> {
    return withTimeLimit(
      this.stopping,
      TIMEOUT_MS,
      async (signal) => (await this.get(path, signal)).json() as Promise<Body>,
    );
  }

  /** Repeats a request that was refused with 429 or 503, so that a download of many requests does not fail. */
  private async get(path: string, signal: AbortSignal): Promise<Response> {
    for (let repeats = 0; ; repeats++) {
      const response = await this.send(path, signal);
      const retryAfter = Number(response.headers.get('retry-after') ?? Infinity);
      if (
        !REPEATED.includes(response.status) ||
        repeats === MAX_REPEATS ||
        !(retryAfter <= MAX_RETRY_AFTER_SECONDS)
      ) {
        return requireOk(response);
      }
      await response.body?.cancel();
      await delay(retryAfter * 1_000, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  private async send(path: string, signal: AbortSignal): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.apiKey}` };
    try {
      return await fetch(this.url.replace(/\/+$/, '') + path, { headers, signal });
    } catch (cause) {
      throw signal.aborted ? cause : new ServiceUnreachableError(this.url, { cause });
    }
  }
}

/** @throws {ServiceRefusedError} */
async function requireOk(response: Response): Promise<Response> {
  if (!response.ok) {
    const body = (await response.json().catch(() => ({}))) as ErrorResponse;
    const message = body.message ?? `The service responded with status ${response.status}.`;
    const fields = body.errors?.map((field) => field.path);
    throw new ServiceRefusedError(response.status, body.code ?? '', message, fields);
  }
  return response;
}
