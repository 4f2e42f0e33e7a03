import cluster from 'node:cluster';
import type { LoggerService } from '@nestjs/common';
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

/** Contexts whose messages are for developers of the service. They are logged at the level debug. */
const STARTUP_CONTEXTS = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Lines are written in blocks, to save system calls, and after this time at the latest. */
const BLOCK_LENGTH = 8_192;
const FLUSH_MS = 100;
/** Workers write to the same pipe, which keeps writes of up to 4,096 bytes whole (PIPE_BUF on Linux). */
const SHARED_OUTPUT = { minLength: 2_048, maxWrite: 4_096 };

/** Creates a logger that writes JSON lines to standard output, or to another stream. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination ?? standardOutput());
}

/**
 * If the terminal was closed or the disk is full, lines are lost, and the service keeps running. Writes are synchronous, so
 * that an orderly stop loses no lines.
 */
function standardOutput(): DestinationStream {
  const stream = pino.destination({
    dest: 1,
    sync: true,
    ...(cluster.isWorker ? SHARED_OUTPUT : { minLength: BLOCK_LENGTH }),
    periodicFlush: FLUSH_MS,
  });
  stream.on('error', () => undefined);
  // After a failed write, `flushSync` would repeat the write until it succeeds. `end` gives up.
  process.on('exit', () => stream.end());
  return stream;
}

/** Passes Nest's log messages to pino. The last argument is the context. */
export class JsonLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...args: unknown[]): void {
    this.write(STARTUP_CONTEXTS.has(String(args.at(-1))) ? 'debug' : 'info', message, args);
  }

  error(message: unknown, ...args: unknown[]): void {
    this.write('error', message, args);
  }

  warn(message: unknown, ...args: unknown[]): void {
    this.write('warn', message, args);
  }

  debug(message: unknown, ...args: unknown[]): void {
    this.write('debug', message, args);
  }

  fatal(message: unknown, ...args: unknown[]): void {
    this.write('fatal', message, args);
  }

  private write(
    level: 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    args: unknown[],
  ): void {
    const fields = typeof message === 'object' && message !== null ? message : { msg: String(message) };
    this.logger[level]({ context: args.at(-1), ...fields });
  }
}

/** Messages of the database and of libraries may quote addresses, so only the class of an error and its stack are logged. */
export function describeError(thrown: unknown): { error: string; code?: unknown; at: string[] } {
  if (!(thrown instanceof Error)) {
    return { error: typeof thrown, at: [] };
  }
  const trace = thrown.stack?.replace(thrown.message, '') ?? '';
  const at = trace.split('\n').filter((line) => /^\s+at /.test(line));
  const { code } = thrown as { code?: unknown };
  const error = thrown instanceof DOMException ? thrown.name : thrown.constructor.name;
  return { error, code, at: at.map((line) => line.trim()) };
}
