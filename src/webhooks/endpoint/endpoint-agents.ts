import type { Agent } from 'node:http';
import { isIP } from 'node:net';
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
   * @param allowedNetworks - in CIDR notation; exceptions from what is refused
   * @param idleMs - after which a connection without a request is closed
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

  /** The agent decides when it creates a connection, which is destroyed before it sends anything. */
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

/** An agent matches addresses with networks of the same family only. */
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
