import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { describeEndpoint, parseEndpoint, type Endpoint } from '../../src/mta/endpoint.js';
import { MtaMetrics } from '../../src/mta/mta-metrics.js';
import { Mta, type MtaEndpoints } from '../../src/mta/mta.js';
import { openSource, type SourceOptions } from '../../src/mta/open-source.js';
import type { OnFailure } from '../../src/mta/protocol.js';
import { parsePurpose, parseUserPurposes, type MailPurpose } from '../../src/mta/verdict-source.js';
import { createLogger } from '../../src/process/logger.js';

interface RunOptions extends SourceOptions {
  onFailure?: OnFailure;
  purpose?: string;
  users?: string;
  /** Where it listens; at free ports by default. */
  addresses?: Partial<Record<keyof MtaEndpoints, string>>;
}

/** `suppressions mta` in this process, in all protocols, on free ports. */
export class RunningMta {
  readonly log: Record<string, unknown>[] = [];
  private mta!: Mta;
  private endpoints!: MtaEndpoints;

  static async start({
    onFailure = 'defer',
    purpose = 'any',
    users = '',
    addresses = {},
    ...source
  }: RunOptions): Promise<RunningMta> {
    const running = new RunningMta();
    const metrics = new MtaMetrics();
    const logger = createLogger('info', running.createLog());
    const purposes = {
      default: parsePurpose(purpose) as MailPurpose,
      byUser: parseUserPurposes(users) as Map<string, MailPurpose>,
    };
    const verdicts = await openSource(source, metrics, logger);
    running.mta = new Mta(verdicts, purposes, onFailure, metrics, logger);
    const free = '127.0.0.1:0';
    const all = { policy: free, socketmap: free, line: free, metrics: free, ...addresses };
    running.endpoints = await running.mta.start(
      Object.fromEntries(Object.entries(all).map(([name, text]) => [name, parseEndpoint(text) as Endpoint])),
    );
    return running;
  }

  stop(): Promise<void> {
    return this.mta.stop();
  }

  address(name: keyof MtaEndpoints): string {
    return describeEndpoint(this.endpoints[name]!);
  }

  connect(name: keyof MtaEndpoints): Caller {
    return new Caller(this.endpoints[name] as { host: string; port: number });
  }

  /** The answers to a text, after which the caller closes its side. */
  async ask(name: keyof MtaEndpoints, text: string): Promise<string> {
    const caller = this.connect(name);
    caller.socket.end(text);
    return caller.ended();
  }

  /** The action for a recipient. */
  policy(attributes: Record<string, string>): Promise<string> {
    return this.ask('policy', policyRequest(attributes));
  }

  async socketmap(map: string, key: string): Promise<string> {
    return fromNetstring(await this.ask('socketmap', toNetstring(`${map} ${key}`)));
  }

  async metrics(): Promise<string> {
    return (await fetch(`http://${this.address('metrics')}/metrics`)).text();
  }

  private createLog(): Writable {
    return new Writable({
      write: (line, _encoding, done) => {
        this.log.push(JSON.parse(String(line)) as Record<string, unknown>);
        done();
      },
    });
  }
}

/** A connection of a mail server. */
export class Caller {
  readonly socket: Socket;
  received = '';

  constructor(address: { host: string; port: number }) {
    this.socket = connect(address).setEncoding('utf8');
    this.socket.on('data', (text: string) => (this.received += text));
  }

  /** Waits until what was received matches. */
  async receives(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.received)) {
      await once(this.socket, 'data');
    }
  }

  async ended(): Promise<string> {
    if (!this.socket.closed) {
      await once(this.socket, 'close');
    }
    return this.received;
  }
}

export function policyRequest(attributes: Record<string, string>): string {
  const all = { request: 'smtpd_access_policy', protocol_state: 'RCPT', ...attributes };
  return [...Object.entries(all).map(([name, value]) => `${name}=${value}`), '', ''].join('\n');
}

export function toNetstring(text: string): string {
  return `${Buffer.byteLength(text)}:${text},`;
}

export function fromNetstring(text: string): string {
  const colon = text.indexOf(':');
  return text.slice(colon + 1, -1);
}
