import type { LoggerService } from '@nestjs/common';
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

/** What Nest tells while it starts: of use to who works on the service only. */
const STARTUP_CONTEXTS = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Lines are written together, so that not each of them costs a system call, and at the latest after this time. */
const WRITTEN_TOGETHER_LENGTH = 8_192;
const FLUSH_MS = 100;
const MAX_UNWRITTEN_LENGTH = 1_000_000;

/** JSON lines on standard output, or on another stream. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination ?? standardOutput());
}

/** Where nobody reads it any more, as when the terminal was closed or the disk is full, lines are lost and nothing else. */
function standardOutput(): DestinationStream {
  const stream = pino.destination({
    dest: 1,
    sync: true,
    minLength: WRITTEN_TOGETHER_LENGTH,
    periodicFlush: FLUSH_MS,
    maxLength: MAX_UNWRITTEN_LENGTH,
  });
  stream.on('error', () => undefined);
  process.on('exit', () => {
    try {
      stream.flushSync();
    } catch {
      // Nobody reads it.
    }
  });
  return stream;
}

/** Sends what Nest and our own classes log to pino. The last argument is the context, as Nest has it. */
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
