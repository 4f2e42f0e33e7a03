import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import {
  BlockList,
  connect,
  createServer,
  isIPv6,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { Invalid } from '../validation/parsers.js';
import type { MtaMetrics } from './mta-metrics.js';
import { MalformedRequestError, type Protocol } from './protocol.js';

/** Where a process listens: a Unix socket, or a port of an address. */
export type Endpoint = { path: string } | { host: string; port: number };

const MAX_PORT = 65_535;
const TCP = /^(?:inet:)?(?:\[([\da-f:.]+)\]|([^:\s[\]/]+)):(\d{1,5})$/i;
const UNIX = /^(?:unix:)?(\/.+)$/;

/** Loopback, private, and link-local addresses (RFC 1918, RFC 3927, RFC 4193, RFC 4291). */
const PRIVATE = new BlockList();
for (const [address, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  PRIVATE.addSubnet(address, bits);
}
for (const [address, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(address, bits, 'ipv6');
}

/** Reads `127.0.0.1:9998`, `[::1]:9998`, or `/run/suppressions/policy`. */
export function parseEndpoint(text: string): Endpoint | Invalid {
  const path = UNIX.exec(text)?.[1];
  if (path) {
    return { path };
  }
  const [, ipv6, name, digits] = TCP.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  return host && port <= MAX_PORT
    ? { host, port }
    : new Invalid('must be an address such as 127.0.0.1:9998 or [::1]:9998, or the path of a Unix socket');
}

export function describeEndpoint(endpoint: Endpoint): string {
  if ('path' in endpoint) {
    return endpoint.path;
  }
  const { host, port } = endpoint;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Where a server listens. */
export function addressOf(server: Server): Endpoint {
  const address = server.address() as AddressInfo | string;
  return typeof address === 'string' ? { path: address } : { host: address.address, port: address.port };
}

/**
 * Whether only this machine and its private network can reach an endpoint.
 *
 * @throws if the name of the host cannot be resolved
 */
export async function isPrivate(endpoint: Endpoint): Promise<boolean> {
  if ('path' in endpoint) {
    return true;
  }
  const addresses = await lookup(endpoint.host, { all: true });
  return addresses.every(({ address, family }) => PRIVATE.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}

const MAX_CONNECTIONS = 1_000;
/** Postfix closes an idle connection after 300 seconds (smtpd_policy_service_max_idle). */
const IDLE_MS = 600_000;

/** Answers mail servers in one protocol. Questions that arrive together are asked together. */
export class Listener<Request> {
  private readonly connections = new Set<{ socket: Socket; isBusy: boolean }>();
  private readonly server: Server;
  private isStopping = false;

  constructor(
    private readonly protocol: Protocol<Request>,
    private readonly metrics: MtaMetrics,
  ) {
    // A script may close its side after its last question, and still read the answers.
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void this.serve(socket));
    this.server.maxConnections = MAX_CONNECTIONS;
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
    const closed = once(socket, 'close');
    const answer = async (requests: Request[]): Promise<void> => {
      connection.isBusy = true;
      const answers = await Promise.all(requests.map((request) => this.protocol.answer(request)));
      if (answers.length > 0 && !socket.write(answers.join(''))) {
        // No answers pile up for a slow reader.
        await Promise.race([once(socket, 'drain'), closed]);
      }
      connection.isBusy = false;
    };
    try {
      const reader = this.protocol.createReader();
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        await answer(reader.read(chunk as Buffer));
        if (this.isStopping) {
          break;
        }
      }
      await answer(reader.end());
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
