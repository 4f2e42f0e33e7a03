import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiError } from './api-error.js';
import { ValidationError } from './errors.js';

const PROBLEMS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers together are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/** Bytes that are no HTTP request never reach Express: Node would answer them with a bare status line. */
export function answerMalformedRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = PROBLEMS[error.code ?? ''] ?? 'The request is not valid HTTP.';
    socket.end(toHttp(ValidationError.ofRequest(problem)));
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function toHttp(error: ApiError): string {
  const body = JSON.stringify(error.toBody());
  const head = [
    `HTTP/1.1 ${error.statusCode} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
