import { openReplica } from '../../src/replica/replica.js';
import { halfPresent } from './addresses.js';
import { drive, type Sender } from './drive.js';
import { CHECK_SIZE, type Job, type Measurement, type ReplicaTarget } from './job.js';

const DIFFERENT_CHECKS = 100;

/** Measures a local copy. The first time, it reads the whole list before the measurement. */
export async function driveReplica(
  { records, seconds }: Job,
  { url, apiKey, path }: ReplicaTarget,
): Promise<Measurement> {
  const replica = await openReplica({ url, apiKey, path });
  const checks = Array.from({ length: DIFFERENT_CHECKS }, () => halfPresent(records.rows, CHECK_SIZE));
  let next = 0;
  let fail!: (error: Error) => void;
  const failure = new Promise<never>((_, reject) => (fail = reject));
  failure.catch(() => undefined);
  const sender: Sender = (answered) => {
    const checked = replica.check(checks[next++ % DIFFERENT_CHECKS]!);
    if (checked.every(({ verdict }, index) => verdict === (index % 2 ? 'send' : 'suppressed'))) {
      setImmediate(answered);
    } else {
      fail(new Error('a wrong answer of the replica'));
    }
  };
  try {
    return await drive([sender], seconds, failure);
  } finally {
    await replica.close();
  }
}
