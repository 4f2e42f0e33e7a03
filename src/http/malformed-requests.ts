import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { SECURITY_HEADERS } from './response.js';
import type { ApiError } from './api-error.js';
import { sendError } from './error.filter.js';
import { ValidationError } from './errors.js';

const PROBLEMS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers together are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/** What Node lets pass and Express cannot read. */
export function problemWithRequest({
  url,
  headers,
  httpVersion,
}: IncomingMessage): ValidationError | undefined {
  if (headers.host === undefined && httpVersion === '1.1') {
    return ValidationError.ofRequest('The request lacks the header Host.');
  }
  return URL.canParse(url ?? '', 'http://localhost')
    ? undefined
    : ValidationError.ofRequest('The path of the request is malformed.');
}

/** Bytes that are no HTTP request never reach Express: Node would answer them with a bare status line. */
export function answerMalformedRequests(server: Server, logger: Logger): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  const cutOff = new WeakSet<Socket>();
  const refuse = (socket: Socket, problem: string): void => {
    socket.end(toHttp(ValidationError.ofRequest(problem)));
    logger.info({ method: null, route: null, status: 400, msg: 'malformed request' });
  };
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    latest.set(socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = latest.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (response?.closed === false) {
      // Node tells of each piece of what is no HTTP: the first is enough to cut it off, behind the answer.
      if (!cutOff.has(socket)) {
        cutOff.add(socket);
        response.once('close', () => socket.destroy());
      }
      if (!response.req.complete) {
        sendError(response, ValidationError.ofRequest('The body is not valid HTTP.'));
      }
    } else if (response?.req.complete === false) {
      // Its request was answered already, before the body.
      socket.destroy();
    } else {
      refuse(socket, PROBLEMS[error.code ?? ''] ?? 'The request is not valid HTTP.');
    }
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) =>
    refuse(socket, 'This service is no proxy.'),
  );
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function toHttp(error: ApiError): string {
  const body = JSON.stringify(error.toBody());
  const head = [
    `HTTP/1.1 ${error.statusCode} ${STATUS_CODES[error.statusCode]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
