import { once } from 'node:events';
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileProblem } from '../../process/file-problem.js';
import { EXIT_CODE, OperatorError } from '../../process/operator-error.js';
import { stopping } from '../stopping.js';
import { readAccess, type Access } from './access.js';
import { readRefusal } from './refusal.js';

/**
 * Destroys a request when the service neither reads nor sends anything. The time during which it waits for our input or output
 * is not counted.
 *
 * @param body - the file that is being sent
 */
function limitIdleTime(request: ClientRequest, idleMs: number, body?: Readable): void {
  let response: IncomingMessage | undefined;
  request.once('response', (received) => (response = received));
  const waitsForInput = () => body !== undefined && !body.readableEnded && !request.writableNeedDrain;
  const waitsForOutput = () => response !== undefined && (response.complete || response.readableLength > 0);
  // The request itself reports only the first timeout.
  request.once('socket', (socket: Socket) => {
    let bytesBefore = -1;
    // Twice in a row, because the first may only show that this process was suspended.
    const onTimeout = () => {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const waitsForUs = waitsForInput() || waitsForOutput();
      if (waitsForUs || bytes !== bytesBefore) {
        bytesBefore = waitsForUs ? -1 : bytes;
        socket.setTimeout(idleMs / 2);
      } else {
        request.destroy(new Error(`no data for ${idleMs / 1_000} seconds`));
      }
    };
    socket.setTimeout(idleMs / 2).on('timeout', onTimeout);
    request.once('close', () => socket.setTimeout(0).off('timeout', onTimeout));
  });
}

const TOO_MANY_REQUESTS = 429;
/** How long the service may neither read nor send anything. It begins to respond within five seconds. */
const IDLE_MS = 60_000;
/** A path whose id is empty or dots would be that of another operation. */
const WITHOUT_ID = /\/\.{0,2}(?:\/|$)/;
const NOT_THE_SERVICE = 'The response is not from the suppression list service. Check the URL.';

/** The service refused a request, or cannot be reached. */
export class ApiProblem extends OperatorError {
  constructor(
    message: string,
    readonly status?: number,
    override readonly exitCode: number = EXIT_CODE.failed,
    readonly code?: string,
  ) {
    super(message);
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.status === undefined || this.status === TOO_MANY_REQUESTS || this.status >= 500;
  }

  /** Whether the service responded, and would refuse the same request again. */
  get isRefusal(): boolean {
    return !this.isTransient && this.status! >= 400;
  }
}

export type Query = Record<string, string | number | boolean | undefined>;

/** The options of a command as the fields of a request: `createdAfter` becomes `created_after`. */
export function toFields(options: object): Query {
  const toField = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [toField(name), value]));
}

interface RequestContent {
  query?: Query | undefined;
  headers?: OutgoingHttpHeaders;
  body?: Readable | string | undefined;
}

export class Api {
  constructor(
    readonly access: Access = readAccess(),
    private readonly idleMs = IDLE_MS,
    private readonly explain = readRefusal,
  ) {}

  /** @throws {ApiProblem} */
  get<Body>(path: string, query?: Query): Promise<Body> {
    return this.json('GET', path, undefined, query);
  }

  /** @throws {ApiProblem} */
  post<Body>(path: string, body?: unknown, query?: Query): Promise<Body> {
    return this.json('POST', path, body, query);
  }

  /** @throws {ApiProblem} */
  async json<Body>(method: string, path: string, body?: unknown, query?: Query): Promise<Body> {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await this.send(method, path, { query, headers, body: JSON.stringify(body) });
    const received = await this.read(response);
    try {
      return JSON.parse(received) as Body;
    } catch {
      throw new ApiProblem(NOT_THE_SERVICE, response.statusCode);
    }
  }

  /**
   * Sends a file while the response is read.
   *
   * @throws {ApiProblem}
   */
  async send(method: string, path: string, content: RequestContent = {}): Promise<IncomingMessage> {
    const response = await this.request(method, path, content);
    if (response.statusCode! < 200 || response.statusCode! >= 300) {
      const { message = NOT_THE_SERVICE, exitCode, code } = this.explain(await this.read(response));
      throw new ApiProblem(message, response.statusCode, exitCode, code);
    }
    return response;
  }

  private async request(
    method: string,
    path: string,
    { query = {}, headers, body }: RequestContent,
  ): Promise<IncomingMessage> {
    if (WITHOUT_ID.test(path)) {
      throw new ApiProblem('An id or an address is empty, or consists of dots.', 400, EXIT_CODE.wrongUsage);
    }
    const url = new URL(this.access.url + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== false) {
        url.searchParams.set(name, String(value));
      }
    }
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = start(url, {
      method,
      headers: { Authorization: `Bearer ${this.access.key}`, ...headers },
      signal: stopping.signal,
    });
    limitIdleTime(request, this.idleMs, typeof body === 'string' ? undefined : body);
    let problem: Error | undefined;
    if (typeof body === 'string' || body === undefined) {
      request.end(body);
    } else {
      body.on('error', (error) => {
        problem =
          stopping.signal.aborted || error instanceof OperatorError
            ? error
            : new OperatorError(`The file cannot be read: ${fileProblem(error)}`);
        request.destroy();
      });
      body.pipe(request);
      request.once('close', () => body.destroy());
    }
    try {
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      // The service may respond before it has read all of the file.
      request.on('error', () => undefined);
      response.once('end', () => request.destroy());
      return response;
    } catch (error) {
      throw problem ?? this.unreachable(error as NodeJS.ErrnoException);
    }
  }

  private read(response: IncomingMessage): Promise<string> {
    return text(response).catch((error: unknown) => {
      throw this.unreachable(error as NodeJS.ErrnoException);
    });
  }

  private unreachable(error: NodeJS.ErrnoException): Error {
    if (stopping.signal.aborted) {
      return error;
    }
    return new ApiProblem(
      error.code?.startsWith('HPE_')
        ? NOT_THE_SERVICE
        : `The service at ${this.access.url} cannot be reached: ${error.code ?? error.message}`,
    );
  }
}
