import type { Logger } from 'pino';
import { serveMetrics } from '../metrics/serve-metrics.js';
import { UsageError } from '../process/operator-error.js';
import { addressOf, describeEndpoint, type Endpoint } from './endpoint.js';
import { FailureLog } from './failure-log.js';
import { Listener } from './listener.js';
import { Questions, type Purposes } from './questions.js';
import { LineProtocol } from './line-protocol.js';
import type { MtaMetrics } from './mta-metrics.js';
import { PolicyProtocol } from './policy-protocol.js';
import type { OnFailure, Protocol } from './protocol.js';
import { SocketmapProtocol } from './socketmap-protocol.js';
import type { VerdictSource } from './verdict-source.js';

const STOP_MS = 10_000;

const PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'the folder does not exist, or this user lacks the permission',
};

export interface MtaEndpoints {
  policy?: Endpoint | undefined;
  socketmap?: Endpoint | undefined;
  line?: Endpoint | undefined;
  metrics?: Endpoint | undefined;
}

/** Answers mail servers until it is stopped. */
export class Mta {
  private readonly questions: Questions;
  private readonly stops: (() => Promise<void>)[] = [];

  constructor(
    private readonly source: VerdictSource,
    purposes: Purposes,
    private readonly onFailure: OnFailure,
    private readonly metrics: MtaMetrics,
    private readonly logger: Logger,
  ) {
    this.questions = new Questions(source, purposes, metrics, new FailureLog(logger));
  }

  /**
   * @returns where it listens, with the ports that the system chose for port 0
   * @throws {UsageError} if one of them cannot be used
   */
  async start(endpoints: MtaEndpoints): Promise<MtaEndpoints> {
    const { questions, onFailure } = this;
    const actual = {
      policy: await this.listen(new PolicyProtocol(questions, onFailure), endpoints.policy),
      socketmap: await this.listen(new SocketmapProtocol(questions, onFailure), endpoints.socketmap),
      line: await this.listen(new LineProtocol(questions), endpoints.line),
      metrics: await this.listenForMetrics(endpoints.metrics),
    };
    await questions.tryPurposes();
    return actual;
  }

  /** Answers the questions that have arrived, within {@link STOP_MS}. */
  async stop(): Promise<void> {
    await Promise.all(this.stops.map((stop) => stop()));
    await this.source.close();
  }

  private async listen<Request>(
    protocol: Protocol<Request>,
    endpoint: Endpoint | undefined,
  ): Promise<Endpoint | undefined> {
    if (!endpoint) {
      return undefined;
    }
    const listener = new Listener(protocol, this.metrics, this.logger);
    const actual = await listener.listen(endpoint).catch(refuse(endpoint));
    this.logger.info({ protocol: protocol.name, address: describeEndpoint(actual) }, 'listening');
    this.stops.push(async () => {
      const timer = setTimeout(() => listener.destroyConnections(), STOP_MS);
      await listener.stop();
      clearTimeout(timer);
    });
    return actual;
  }

  private async listenForMetrics(endpoint: Endpoint | undefined): Promise<Endpoint | undefined> {
    if (!endpoint) {
      return undefined;
    }
    const { registry } = this.metrics;
    const read = () => registry.metrics();
    const server = await serveMetrics(endpoint, registry.contentType, read).catch(refuse(endpoint));
    const actual = addressOf(server);
    this.logger.info({ address: describeEndpoint(actual) }, 'serving metrics');
    this.stops.push(async () => {
      server.close();
      server.closeAllConnections();
    });
    return actual;
  }
}

function refuse(endpoint: Endpoint): (error: NodeJS.ErrnoException) => never {
  return ({ code }) => {
    throw new UsageError(
      `Nothing can listen at ${describeEndpoint(endpoint)}: ${PROBLEMS[code ?? ''] ?? code}.`,
    );
  };
}
