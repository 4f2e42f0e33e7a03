import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { once } from 'node:events';

/**
 * What integrations take for the service. It forwards to the real one, or fails as a case wants it. It also is the HTTP API
 * of mail providers (Resend, Postmark), and keeps the emails that it receives as such.
 */
export class Front {
  /** The bodies of the checks since the last `behave`. */
  requests = [];
  emails = [];
  #behavior = 'real';
  #down;

  static async start(serviceUrl) {
    const front = new Front();
    front.serviceUrl = serviceUrl;
    front.server = createServer((request, response) => void front.#handle(request, response)).listen(
      0,
      '127.0.0.1',
    );
    // Nobody listens at the port of a server that was closed.
    const closed = createServer().listen(0, '127.0.0.1');
    await Promise.all([once(front.server, 'listening'), once(closed, 'listening')]);
    front.#down = `http://127.0.0.1:${closed.address().port}`;
    closed.close();
    front.api = `http://127.0.0.1:${front.server.address().port}`;
    return front;
  }

  get url() {
    return this.#behavior === 'down' ? this.#down : this.api;
  }

  behave(behavior) {
    this.#behavior = behavior;
    this.requests = [];
    this.emails = [];
  }

  stop() {
    this.server.close();
    this.server.closeAllConnections();
  }

  async #handle(request, response) {
    const body = await json(request);
    const send = (status, value) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    if (request.url !== '/suppressions/check') {
      this.emails.push(...[body].flat());
      const answer = { id: 'e1', ErrorCode: 0, Message: 'OK', MessageID: 'e1' };
      send(200, Array.isArray(body) ? { data: body.map(() => answer) } : answer);
      return;
    }
    this.requests.push(body);
    switch (this.#behavior) {
      case 'silent':
        return;
      case 'endless':
        return this.#trickle(response);
      case 'html':
        return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>');
      case 'one verdict too few':
        return send(200, {
          object: 'list',
          data: body.emails.slice(1).map((email) => ({ email, verdict: 'send' })),
        });
      case 'no verdicts':
        return send(200, { object: 'list', data: body.emails.map((email) => ({ email })) });
      case 'null verdicts':
        return send(200, { object: 'list', data: body.emails.map((email) => ({ email, verdict: null })) });
      case 'null results':
        return send(200, { object: 'list', data: body.emails.map(() => null) });
      case 'broken JSON':
        return void response.writeHead(200).end('{"object":"list","data":[{"verdict":"send"},');
      case 'reset':
        response.writeHead(200, { 'Content-Length': 1_000 }).write('{"object":"list","data":[');
        return void setTimeout(() => request.socket.resetAndDestroy(), 50);
      case 'not HTTP':
        return void request.socket.end('220 mail.example.com ESMTP\r\n');
      case 'no links':
        return body.include
          ? send(422, { code: 'unsubscribe_links_unavailable' })
          : this.#forward(request, body, response);
      case 'second request fails':
        return this.requests.length > 1 ? send(503, {}) : this.#forward(request, body, response);
      case 'real':
        return this.#forward(request, body, response);
      default:
        return send(this.#behavior, { code: 'refused' });
    }
  }

  #trickle(response) {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  }

  async #forward({ headers, url }, body, response) {
    const answer = await fetch(this.serviceUrl + url, {
      method: 'POST',
      headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
      body: JSON.stringify(body),
    });
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
  }
}
