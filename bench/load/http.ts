import { Connection } from './connection.js';
import { drive, type Sender } from './drive.js';
import type { Job, Measurement } from './job.js';
import { requestsOf, type HttpRequest } from './requests.js';

/** Checks the status of every response, and the body of the first and of every nth one. */
const BODY_SAMPLE = 64;

/** Measures what listens on a port. */
export async function driveHttp(job: Job): Promise<Measurement> {
  const { port } = job.target as { port: number };
  let fail!: (error: Error) => void;
  const failure = new Promise<never>((_, reject) => (fail = reject));
  failure.catch(() => undefined);
  const nextRequest = requestsOf(job);
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => Connection.open(port, fail)),
  );
  let sent = 0;
  const senders = connections.map((connection): Sender => (answered) => {
    const request = nextRequest();
    const isSample = sent++ % BODY_SAMPLE === 0;
    connection.send(request.bytes, isSample, ({ status, body }) => {
      const problem = findProblem(request, status, isSample ? body : undefined);
      if (problem) {
        fail(new Error(`${request.bytes.split('\r\n', 1)[0]}: ${problem}`));
      } else {
        answered();
      }
    });
  });
  try {
    return await drive(senders, job.seconds, failure);
  } finally {
    connections.forEach((connection) => connection.close());
  }
}

function findProblem(request: HttpRequest, status: number, body?: string): string | undefined {
  if (status !== request.status) {
    return `status ${status}, not ${request.status}`;
  }
  try {
    if (body !== undefined) {
      request.verify(JSON.parse(body));
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
