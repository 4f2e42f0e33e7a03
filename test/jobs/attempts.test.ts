import { decideNextStep } from '../../src/jobs/attempts.js';
import { JobFailedError, JobInterruptedError, JobPausedError } from '../../src/jobs/job-handler.js';
import { AddressBeingErasedError, KeptBlocksUnreadableError } from '../../src/pseudonyms/errors.js';

const TIMEOUT = Object.assign(new Error(), { code: '57014' });

describe('after an error, a job', () => {
  it('fails at once if trying again would not help', () => {
    const error = new JobFailedError('malformed_csv', 'A quote is missing.', 7);
    expect(decideNextStep(error, { attempts: 1, failures: 0 })).toEqual({
      failure: { code: 'malformed_csv', message: 'A quote is missing.', line: 7 },
    });
  });

  it('goes on without a pause if it was interrupted', () => {
    const counts = { attempts: 9, failures: 1 };
    expect(decideNextStep(new JobInterruptedError(), counts)).toEqual({ pauseSeconds: 0, failures: 1 });
  });

  it('goes on after the pause that it asked for', () => {
    const counts = { attempts: 9, failures: 1 };
    expect(decideNextStep(new JobPausedError(30), counts)).toEqual({ pauseSeconds: 30, failures: 1 });
  });

  it('waits for as long as an address is being erased, or the kept blocks cannot be read', () => {
    for (const error of [new AddressBeingErasedError(), new KeptBlocksUnreadableError()]) {
      expect(decideNextStep(error, { attempts: 1_000, failures: 4 })).toEqual({
        pauseSeconds: 5,
        failures: 4,
      });
    }
  });

  it('pauses longer after each attempt, up to a minute', () => {
    const pauses = [1, 2, 3, 6, 7, 50].map((attempts) => decideNextStep(TIMEOUT, { attempts, failures: 0 }));
    expect(pauses).toEqual([1, 2, 4, 32, 60, 60].map((pauseSeconds) => ({ pauseSeconds, failures: 0 })));
  });

  it('fails after five errors of the service, however often the database failed in between', () => {
    const after = (failures: number) => decideNextStep(new TypeError(), { attempts: 60, failures });
    expect(after(3)).toEqual({ pauseSeconds: 8, failures: 4 });
    expect(after(4)).toMatchObject({ failure: { code: 'internal_server_error' } });
  });

  it('fails after a hundred attempts without the database', () => {
    const after = (attempts: number) => decideNextStep(TIMEOUT, { attempts, failures: 4 });
    expect(after(99)).toEqual({ pauseSeconds: 60, failures: 4 });
    expect(after(100)).toMatchObject({ failure: { code: 'service_unavailable' } });
  });
});
