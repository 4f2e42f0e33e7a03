import { randomInt } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

/** IPv4 addresses in their deprecated IPv6 form (RFC 4291, section 2.5.5.1), which ipaddr.js considers public. */
const REFUSED_NETWORKS = ['::/96'];
/** The platform address of Azure virtual machines, which is in a public range. */
const AZURE_PLATFORM = '168.63.129.16/32';

type Protocol = 'http:' | 'https:';

/** Connection pools for endpoints. Each connection checks the address that it is made to. */
export class EndpointAgents {
  private readonly ipv4: Record<Protocol, Agent>;
  private readonly ipv6: Record<Protocol, Agent>;

  /**
   * @param allowedNetworks - networks in CIDR notation that are exempt from the refusal
   * @param idleMs - the time after which a connection without a request is closed
   */
  constructor(allowedNetworks: string[], idleMs: number) {
    const isIPv6 = (network: string) => network.includes(':');
    const ipv4Networks = allowedNetworks.filter((network) => !isIPv6(network));
    this.ipv4 = createAgents(ipv4Networks, [AZURE_PLATFORM], idleMs);
    this.ipv6 = createAgents(allowedNetworks.filter(isIPv6), REFUSED_NETWORKS, idleMs);
  }

  get(family: 4 | 6, { protocol }: URL): Agent {
    return (family === 4 ? this.ipv4 : this.ipv6)[protocol as Protocol];
  }

  /** Creates a connection, since the agent decides only then, and destroys it before it sends anything. */
  mayConnectTo(address: string): boolean {
    const agent = (isIP(address) === 6 ? this.ipv6 : this.ipv4)['http:'];
    let isRefused = false;
    const refuse = () => (isRefused = true);
    agent.createConnection({ host: address, port: 80 }, refuse)!.destroy();
    return !isRefused;
  }

  destroy(): void {
    [this.ipv4, this.ipv6].flatMap((agents) => Object.values(agents)).forEach((agent) => agent.destroy());
  }
}

/** An agent matches addresses only with networks of the same family. */
function createAgents(allowed: string[], refused: string[], idleMs: number): Record<Protocol, Agent> {
  const options = {
    keepAlive: true,
    timeout: idleMs,
    allowIPAddressList: allowed,
    denyIPAddressList: refused,
  };
  return {
    'http:': new RequestFilteringHttpAgent(options),
    'https:': new RequestFilteringHttpsAgent(options),
  };
}

/**
 * The timeout of the first query to each name server. The second query has twice as long. With two servers, all queries end
 * before the attempt times out.
 */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
const HOSTS_FILE = '/etc/hosts';

/**
 * Looks up the names of endpoints. Unlike `dns.lookup`, it occupies none of the four file system threads while a name server
 * does not respond.
 */
export class EndpointResolver {
  constructor(
    private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES }),
    private readonly hostsFile = HOSTS_FILE,
  ) {}

  /** The lookup function for connections, to one family of addresses. */
  readonly find: LookupFunction = (name, { family }, done) => {
    const requestedFamily = family === 6 ? 6 : 4;
    callbackify(() => this.findAddress(name, requestedFamily))((error, address) =>
      done(error, address, requestedFamily),
    );
  };

  close(): void {
    this.resolver.cancel();
  }

  private async findAddress(name: string, family: number): Promise<string> {
    const hosts = await readFile(this.hostsFile, 'utf8').catch(() => '');
    const query = family === 6 ? 'resolve6' : 'resolve4';
    return findInHosts(hosts, name, family) ?? pickRandom(await this.resolver[query](name));
  }
}

/** Error codes of a lookup that finds no IPv4 address. */
const NO_IPV4_ADDRESS = ['ENOTFOUND', 'ENODATA'];

/** Sends a request to an IPv4 address of a host, or to an IPv6 address if it has no other. */
export function preferIpv4<Result>(send: (family: 4 | 6) => Promise<Result>): Promise<Result> {
  return send(4).catch((error: NodeJS.ErrnoException) => {
    if (!NO_IPV4_ADDRESS.includes(error.code!)) {
      throw error;
    }
    return send(6);
  });
}

/** Picks a random address, so that a retry can use another one if the first does not respond. */
function pickRandom(addresses: string[]): string {
  return addresses[randomInt(addresses.length)]!;
}

/** Reads hosts(5): each line has an address, and then its names. */
function findInHosts(text: string, name: string, family: number): string | undefined {
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (names.includes(name) && isIP(address!) === family) {
      return address;
    }
  }
  return undefined;
}
