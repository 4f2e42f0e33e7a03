import { Connection } from './connection.js';
import { drive, type Sender } from './drive.js';
import type { Job, Measurement } from './job.js';
import { requestsOf } from './requests.js';

/** The status of every response is checked, and the body of the first and of every 64th one. */
const BODY_SAMPLE = 64;

export async function driveHttp(job: Job): Promise<Measurement> {
  const { port } = job.target as { port: number };
  const nextRequest = requestsOf(job);
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(port)));
  let sent = 0;
  const senders = connections.map((connection): Sender => (done) => {
    const request = nextRequest();
    const isSample = sent++ % BODY_SAMPLE === 0;
    connection.send(request.bytes, isSample, (error, status, body) => {
      const isRight = status === request.status && (!isSample || request.accepts(JSON.parse(body!)));
      done(isRight ? null : (error ?? new Error(`${request.bytes.slice(0, 80)}: ${status} ${body}`)));
    });
  });
  try {
    return await drive(senders, job.seconds);
  } finally {
    connections.forEach((connection) => connection.close());
  }
}
