import { driveHttp } from './http.js';
import type { Answer, Job, Measurement } from './job.js';
import { closeClients, drivePg } from './pg.js';
import { driveReplica } from './replica.js';

/** The load process: it takes one job at a time and answers with what it measured. */
process.on('message', (job: Job) => {
  drive(job).then(
    (measurement) => answer({ measurement }),
    (error: Error) => answer({ error: error.message }),
  );
});
process.once('disconnect', () => void closeClients().finally(() => process.exit()));
process.on('SIGINT', () => undefined);

function drive(job: Job): Promise<Measurement> {
  if ('replica' in job.target) {
    return driveReplica(job, job.target.replica);
  }
  return 'port' in job.target ? driveHttp(job) : drivePg(job);
}

function answer(message: Answer): void {
  process.send?.(message);
}
