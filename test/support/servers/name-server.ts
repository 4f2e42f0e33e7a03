import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const TYPE_AAAA = 28;
const NAME_ERROR = 3;

export interface NameServer {
  /** As `Resolver.setServers` takes it. */
  address: string;
  queries: number;
  close(): void;
}

/**
 * Starts a DNS server on loopback (RFC 1035).
 *
 * @param find - returns the bytes of the address of a name, none if it has no address of the family, `unknown` if the name
 *   does not exist, or null to leave the query without a response
 */
export async function startNameServer(
  find: (name: string, family: 4 | 6) => number[] | 'unknown' | null,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    server.queries++;
    const { name, end } = readName(query);
    const found = find(name, query.readUInt16BE(end) === TYPE_AAAA ? 6 : 4);
    if (found !== null) {
      socket.send(respond(query.subarray(0, end + 4), found), port, address);
    }
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const server = { address: `127.0.0.1:${socket.address().port}`, queries: 0, close: () => socket.close() };
  return server;
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let end = HEADER_BYTES;
  for (let length = query[end]!; length > 0; length = query[end]!) {
    labels.push(query.toString('latin1', end + 1, end + 1 + length));
    end += 1 + length;
  }
  return { name: labels.join('.'), end: end + 1 };
}

/** @param question - the header of the query and its question, which the response repeats */
function respond(question: Buffer, found: number[] | 'unknown'): Buffer {
  const response = Buffer.from(question);
  const address = found === 'unknown' ? [] : found;
  response.writeUInt16BE(0x8180 | (found === 'unknown' ? NAME_ERROR : 0), 2);
  response.writeUInt16BE(address.length > 0 ? 1 : 0, 6);
  response.fill(0, 8, HEADER_BYTES);
  if (address.length === 0) {
    return response;
  }
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, 0, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]);
  record[3] = address.length === 4 ? 1 : TYPE_AAAA;
  return Buffer.concat([response, record]);
}
