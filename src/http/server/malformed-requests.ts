import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { ApiError } from '../errors/api-error.js';
import { ValidationError } from '../errors/errors.js';
import { SECURITY_HEADERS, sendError } from '../responses/response.js';
import { latestResponses } from './json-express-adapter.js';

const PROBLEMS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers together are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}

/** Responds in JSON to bytes that are not HTTP: Node would send a bare status line, without asking Express. */
export function respondToMalformedRequests(server: Server, logger: Logger): void {
  const cutOff = new WeakSet<Socket>();
  const refuse = (socket: Socket, problem: string, packet?: Buffer): void => {
    socket.end(toHttp(ValidationError.ofRequest(problem), isHead(packet)));
    logger.info({ method: null, route: null, status: 400, msg: 'malformed request' });
  };
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const response = latestResponses.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (response?.closed === false) {
      // Node reports each malformed chunk. The first one is enough to close the connection after the response.
      if (!cutOff.has(socket)) {
        cutOff.add(socket);
        response.once('close', () => socket.destroy());
      }
      if (!response.req.complete && response.headersSent && !response.writableEnded) {
        // The rest of the response would wait for the rest of the body.
        socket.destroy();
      } else if (!response.req.complete) {
        sendError(response, ValidationError.ofRequest('The body is not valid HTTP.'));
      }
    } else if (response?.req.complete === false) {
      // The malformed chunk is the body of a request that already has its response.
      socket.destroy();
    } else {
      refuse(socket, PROBLEMS[error.code ?? ''] ?? 'The request is not valid HTTP.', error.rawPacket);
    }
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node no longer watches the socket: a reset would end the process, and an idle caller would keep the connection.
    socket.on('error', () => undefined);
    refuse(socket, 'This service is not a proxy.');
    socket.destroySoon();
  });
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
