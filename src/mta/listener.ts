import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { throttle } from '../process/throttle.js';
import { type Endpoint, addressOf } from './endpoint.js';
import type { MtaMetrics } from './mta-metrics.js';
import { MalformedRequestError, type Protocol } from './protocol.js';

const MAX_CONNECTIONS = 1_000;
/** Postfix closes an idle connection after 300 seconds (smtpd_policy_service_max_idle). */
const IDLE_MS = 600_000;
const WARNING_INTERVAL_MS = 60_000;

/** Answers mail servers in one protocol. Questions that arrive together share a batch. */
export class Listener<Request> {
  private readonly connections = new Set<{ socket: Socket; isBusy: boolean }>();
  private readonly server: Server;
  private isStopping = false;

  constructor(
    private readonly protocol: Protocol<Request>,
    private readonly metrics: MtaMetrics,
    logger: Logger,
  ) {
    // A script may close its side after its last question, and still read the answers.
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void this.serve(socket));
    this.server.maxConnections = MAX_CONNECTIONS;
    const open = { protocol: protocol.name, connections: MAX_CONNECTIONS };
    const warn = () => logger.warn(open, 'connections are refused because too many are open');
    this.server.on('drop', throttle(warn, WARNING_INTERVAL_MS));
  }

  /** Every user of the machine may connect to a Unix socket, as to a port; the permissions of its folder can prevent it. */
  async listen(endpoint: Endpoint): Promise<Endpoint> {
    if ('path' in endpoint) {
      await removeAbandoned(endpoint.path);
      this.server.listen({ path: endpoint.path, readableAll: true, writableAll: true });
    } else {
      this.server.listen(endpoint);
    }
    await once(this.server, 'listening');
    return addressOf(this.server);
  }

  /** Accepts no more questions. Resolves when those that have arrived are answered. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (!this.server.listening) {
      return;
    }
    this.server.close();
    for (const { socket, isBusy } of this.connections) {
      if (!isBusy) {
        socket.destroySoon();
      }
    }
    await once(this.server, 'close');
  }

  /** Ends connections whose peers do not read their answers. */
  destroyConnections(): void {
    this.connections.forEach(({ socket }) => socket.destroy());
  }

  private async serve(socket: Socket): Promise<void> {
    const connection = { socket, isBusy: false };
    this.connections.add(connection);
    this.metrics.setConnections(this.protocol.name, this.connections.size);
    socket.on('error', () => undefined);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const answer = async (requests: Request[]): Promise<void> => {
      connection.isBusy = true;
      const answers = await Promise.all(requests.map((request) => this.protocol.answer(request)));
      if (answers.length > 0 && !socket.write(answers.join(''))) {
        // Answers must not pile up for a slow reader.
        await Promise.race([once(socket, 'drain'), closed]);
      }
      connection.isBusy = false;
    };
    try {
      const reader = this.protocol.createReader();
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        await answer(reader.read(chunk as Buffer));
        if (this.isStopping) {
          socket.destroySoon();
          return;
        }
      }
      await answer(reader.end?.() ?? []);
      socket.destroySoon();
    } catch (error) {
      if (error instanceof MalformedRequestError) {
        this.metrics.countMalformed(this.protocol.name);
      }
      socket.destroy();
    } finally {
      this.connections.delete(connection);
      this.metrics.setConnections(this.protocol.name, this.connections.size);
    }
  }
}

/** Removes the socket of a process that was killed. */
async function removeAbandoned(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isSocket()) {
    return;
  }
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') {
      await rm(path);
    }
  } finally {
    socket.destroy();
  }
}
