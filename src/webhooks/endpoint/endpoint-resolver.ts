import { randomInt } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/**
 * The timeout of the first query to each name server; the second one waits twice as long. With two servers, all queries end
 * before an attempt does.
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

  /** For connections to one family of addresses. */
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

/** A retry finds another address if the first does not respond. */
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
