import type { Logger } from 'pino';
import type { EmailAddress } from '../email-address/email-address.js';
import { OperatorError } from '../process/operator-error.js';
import { throttle } from '../process/throttle.js';
import {
  ServiceUnreachableError,
  StaleReplicaError,
  UnknownTopicError,
  UnrecognizableAddressError,
} from '../replica/errors.js';
import type { Replica } from '../replica/replica.js';
import type { MtaMetrics } from './mta-metrics.js';
import { ServiceVerdicts, toAnswer } from './service-verdicts.js';
import { UnknownVerdictError, type Answer, type MailPurpose, type VerdictSource } from './verdict-source.js';

export interface SourceOptions {
  url: string;
  key: string;
  /** The folder of the local copy. If undefined, the service answers. */
  replica?: string | undefined;
  /** The greatest age of a copy that may answer, in milliseconds. */
  maxAge?: number | undefined;
  /** Aborts the creation of the first copy. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens the source of verdicts. Creating the first copy may take minutes, and the service must be reachable.
 *
 * @throws {OperatorError} if the copy cannot be opened, or `signal` was aborted
 */
export async function openSource(
  { url, key, replica: path, maxAge, signal }: SourceOptions,
  metrics: MtaMetrics,
  logger: Logger,
): Promise<VerdictSource> {
  if (path === undefined) {
    return new ServiceVerdicts(url, key);
  }
  const { openReplica } = await import('../replica/replica.js').catch(() => {
    throw new OperatorError(
      'A local copy needs the package lmdb, which this installation lacks. Run npm install lmdb.',
    );
  });
  const replica = await openReplica({
    url,
    apiKey: key,
    path,
    ...(maxAge !== undefined && { maxAge: maxAge / 1_000 }),
    ...(signal && { signal }),
    onProgress: (progress) => logger.info(progress, 'reading the list'),
  }).catch((error: Error) => {
    const advice = error instanceof ServiceUnreachableError ? ' Start again when the service responds.' : '';
    throw new OperatorError(`The local copy in ${path} cannot be opened: ${error.message}${advice}`);
  });
  metrics.observeReplica(() => replica.age);
  logger.info({ age_seconds: Math.round(replica.age) }, 'opened the local copy');
  return new ReplicaVerdicts(replica, logger);
}

/** A copy that is older may answer, but something is wrong. */
const USUAL_AGE_SECONDS = 60;
const WARNING_INTERVAL_MS = 60_000;

/** Answers from a local copy of the list. */
class ReplicaVerdicts implements VerdictSource {
  private readonly warn = throttle(({ message: problem }: Error) => {
    this.logger.warn({ problem }, 'the local copy cannot be updated');
  }, WARNING_INTERVAL_MS);

  constructor(
    private readonly replica: Replica,
    private readonly logger: Logger,
  ) {}

  check(email: EmailAddress, { options }: MailPurpose): Answer {
    try {
      const answer = toAnswer(this.replica.check([email], options)[0]!);
      this.warnIfOld();
      return answer;
    } catch (error) {
      if (error instanceof UnknownTopicError) {
        throw new UnknownVerdictError('unknown_topic');
      }
      if (error instanceof StaleReplicaError) {
        const { message: problem } = (error.cause ?? {}) as Partial<Error>;
        throw new UnknownVerdictError('stale', { age_seconds: Math.round(error.age), problem });
      }
      if (error instanceof UnrecognizableAddressError) {
        throw new UnknownVerdictError('forbidden', { scope: 'pseudonyms:read' });
      }
      throw error;
    }
  }

  private warnIfOld(): void {
    const { problem } = this.replica;
    if (problem && this.replica.age > USUAL_AGE_SECONDS) {
      this.warn(problem);
    }
  }

  close(): Promise<void> {
    return this.replica.close();
  }
}
