import { driveHttp } from './http.js';
import type { Job, LoadResult, Measurement } from './job.js';
import { drivePg } from './pg.js';
import { driveReplica } from './replica.js';

/** The load process: it executes one job at a time and returns the measurement. */
process.on('message', (job: Job) => {
  drive(job).then(
    (measurement) => send({ measurement }),
    (error: Error) => send({ error: error.message }),
  );
});
process.once('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);

function drive(job: Job): Promise<Measurement> {
  if ('replica' in job.target) {
    return driveReplica(job, job.target.replica);
  }
  return 'port' in job.target ? driveHttp(job) : drivePg(job);
}

function send(message: LoadResult): void {
  process.send?.(message);
}
