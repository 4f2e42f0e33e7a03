import { nextAfter } from '../../src/jobs/attempts.js';
import { JobFailedError, JobInterruptedError } from '../../src/jobs/errors.js';

const TIMEOUT = Object.assign(new Error(), { code: '57014' });

describe('after an error, a job', () => {
  it('fails at once if trying again would not help', () => {
    const error = new JobFailedError('malformed_csv', 'A quote is missing.', 7);
    expect(nextAfter(error, 1)).toEqual({
      failure: { code: 'malformed_csv', message: 'A quote is missing.', line: 7 },
    });
  });

  it('goes on without a pause if it was interrupted', () => {
    expect(nextAfter(new JobInterruptedError(), 9)).toEqual({ pauseSeconds: 0 });
  });

  it('pauses longer after each attempt, up to a minute', () => {
    const pauses = [1, 2, 3, 6, 7, 50].map((attempts) => nextAfter(TIMEOUT, attempts));
    expect(pauses).toEqual([1, 2, 4, 32, 60, 60].map((pauseSeconds) => ({ pauseSeconds })));
  });

  it('fails after five attempts because of the service, and after a hundred because of the database', () => {
    expect(nextAfter(new TypeError(), 4)).toEqual({ pauseSeconds: 8 });
    expect(nextAfter(new TypeError(), 5)).toMatchObject({ failure: { code: 'internal_server_error' } });
    expect(nextAfter(TIMEOUT, 99)).toEqual({ pauseSeconds: 60 });
    expect(nextAfter(TIMEOUT, 100)).toMatchObject({ failure: { code: 'service_unavailable' } });
  });
});
