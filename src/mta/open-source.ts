import type { Logger } from 'pino';
import { OperatorError } from '../process/operator-error.js';
import type { MtaMetrics } from './mta-metrics.js';
import { ServiceVerdicts } from './service-verdicts.js';
import type { VerdictSource } from './verdict-source.js';

export interface SourceOptions {
  url: string;
  key: string;
  /** The folder of the local copy. Without it, the service answers. */
  replica?: string | undefined;
  /** The oldest copy that may answer, in milliseconds. */
  maxAge?: number | undefined;
  /** Gives up a first copy. */
  signal?: AbortSignal | undefined;
}

/**
 * A first copy may take minutes; the service must be reachable for it.
 *
 * @throws {OperatorError} if the copy cannot be opened, also because `signal` was aborted
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
  const { ReplicaVerdicts } = await import('./replica-verdicts.js');
  const replica = await openReplica({
    url,
    apiKey: key,
    path,
    ...(maxAge !== undefined && { maxAge: maxAge / 1_000 }),
    ...(signal && { signal }),
    onProgress: (progress) => logger.info(progress, 'reading the list'),
  }).catch((error: Error) => {
    throw new OperatorError(`The local copy in ${path} cannot be opened: ${error.message}`);
  });
  metrics.observeReplica(() => replica.age);
  logger.info({ age_seconds: Math.round(replica.age) }, 'opened the local copy');
  return new ReplicaVerdicts(replica);
}
