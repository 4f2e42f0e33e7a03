import { openReplica } from '../../src/replica/replica.js';
import { halfPresent } from './addresses.js';
import { drive, type Sender } from './drive.js';
import { CHECK_SIZE, inTurns, type Job, type Measurement, type ReplicaTarget } from './job.js';

/** Measures a local copy. The first time, it reads the whole list before the measurement. */
export async function driveReplica({ records, seconds }: Job, target: ReplicaTarget): Promise<Measurement> {
  const replica = await openReplica(target);
  const nextCheck = inTurns(() => halfPresent(records.rows, CHECK_SIZE));
  const sender: Sender = (done) => {
    const verdicts = replica.check(nextCheck());
    const isRight = verdicts.every(({ verdict }, index) => verdict === (index % 2 ? 'send' : 'suppressed'));
    setImmediate(done, isRight ? null : new Error('the replica has a wrong verdict'));
  };
  try {
    return await drive([sender], seconds);
  } finally {
    await replica.close();
  }
}
