import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { ApiError } from '../errors/api-error.js';
import { ValidationError } from '../errors/errors.js';
import { SECURITY_HEADERS, sendError } from '../responses/response.js';

const PROBLEMS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers together are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}

/** Characters that no host and port contains (RFC 9110, section 7.2). */
const NOT_IN_HOST = /[^\w.:[\]%~!$&'()*+;=-]/;

/**
 * The problem of a request that Node accepts and Express cannot route, or that a proxy may read in another way (RFC 9112,
 * sections 3.2, 6.1, and 6.3).
 */
export function problemWithRequest(request: IncomingMessage): ValidationError | undefined {
  const problem = problemWithHost(request) ?? problemWithEncoding(request);
  if (problem !== undefined) {
    return ValidationError.ofRequest(problem);
  }
  return URL.canParse(request.url ?? '', 'http://localhost')
    ? undefined
    : ValidationError.ofRequest('The path of the request is malformed.');
}

function problemWithHost({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (headers.host === undefined) {
    return httpVersion === '1.1' ? 'The request lacks the header Host.' : undefined;
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    hosts += name.length === 4 && name.toLowerCase() === 'host' ? 1 : 0;
  }
  if (hosts > 1) {
    return 'The request has several headers Host.';
  }
  return NOT_IN_HOST.test(headers.host) ? 'The header Host is not a host.' : undefined;
}

function problemWithEncoding({ headers, httpVersion }: IncomingMessage): string | undefined {
  const encoding = headers['transfer-encoding'];
  return encoding === undefined || (/^chunked$/i.test(encoding) && httpVersion === '1.1')
    ? undefined
    : 'The header Transfer-Encoding must be chunked, in HTTP/1.1.';
}

/** Responds in JSON to bytes that are not HTTP: Node would send a bare status line, without asking Express. */
export function respondToMalformedRequests(server: Server, logger: Logger): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  const cutOff = new WeakSet<Socket>();
  const refuse = (socket: Socket, problem: string, packet?: Buffer): void => {
    socket.end(toHttp(ValidationError.ofRequest(problem), isHead(packet)));
    logger.info({ method: null, route: null, status: 400, msg: 'malformed request' });
  };
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    latest.set(socket, response);
  });
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const response = latest.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (response?.closed === false) {
      // Node reports each malformed chunk. The first one is enough to close the connection after the response.
      if (!cutOff.has(socket)) {
        cutOff.add(socket);
        response.once('close', () => socket.destroy());
      }
      if (!response.req.complete) {
        sendError(response, ValidationError.ofRequest('The body is not valid HTTP.'));
      }
    } else if (response?.req.complete === false) {
      // The malformed chunk is the body of a request that already has its response.
      socket.destroy();
    } else {
      refuse(socket, PROBLEMS[error.code ?? ''] ?? 'The request is not valid HTTP.', error.rawPacket);
    }
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) =>
    refuse(socket, 'This service is not a proxy.'),
  );
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function isHead(packet: Buffer | undefined): boolean {
  return packet?.toString('latin1', 0, 5) === 'HEAD ';
}

/** A response to HEAD has no body (RFC 9110, section 9.3.2). */
function toHttp(error: ApiError, isHeadRequest: boolean): string {
  const body = JSON.stringify(error.toBody());
  const head = [
    `HTTP/1.1 ${error.statusCode} ${STATUS_CODES[error.statusCode]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${isHeadRequest ? '' : body}`;
}
