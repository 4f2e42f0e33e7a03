import { createServer, type ServerResponse } from 'node:http';
import { NOT_FOUND, UNAUTHORIZED, isAuthorized, lookUp } from './lookup.js';

/** Node.js without a framework, with one query per request. */
const PREFIX = '/suppressions/';

const server = createServer((request, response) => {
  const url = request.url ?? '';
  if (!isAuthorized(request.headers.authorization)) {
    respond(response, 401, UNAUTHORIZED);
  } else if (request.method !== 'GET' || !url.startsWith(PREFIX)) {
    respond(response, 404, NOT_FOUND);
  } else {
    lookUp(decodeURIComponent(url.slice(PREFIX.length))).then(
      (found) => (found ? respond(response, 200, found) : respond(response, 404, NOT_FOUND)),
      () => respond(response, 500, { statusCode: 500 }),
    );
  }
});

server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));

function respond(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
