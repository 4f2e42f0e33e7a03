import { driveHttp } from './http.js';
import type { Answer, Job } from './job.js';
import { closeClients, drivePg } from './pg.js';

/** The load process: it takes one job at a time and answers with what it measured. */
process.on('message', (job: Job) => {
  const driving = 'port' in job.target ? driveHttp(job) : drivePg(job);
  driving.then(
    (measurement) => answer({ measurement }),
    (error: Error) => answer({ error: error.message }),
  );
});
process.once('disconnect', () => void closeClients().finally(() => process.exit()));
process.on('SIGINT', () => undefined);

function answer(message: Answer): void {
  process.send?.(message);
}
