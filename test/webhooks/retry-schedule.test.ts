import {
  stateAfterAttempt,
  reasonToDisable,
  RETRY_DELAYS_MS,
} from '../../src/webhooks/delivery/retry-schedule.js';

const NOW = new Date('2026-01-15T09:30:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const response = (statusCode: number, retryAfterMs: number | null = null) => ({
  statusCode,
  retryAfterMs,
  body: '',
  error: null,
  isUnreachable: false,
});
const delayAfter = (tries: number, retryAfterMs: number | null, random: number) =>
  stateAfterAttempt(tries, response(503, retryAfterMs), NOW, random).nextAttemptAt!.getTime() - NOW.getTime();

describe('the schedule of retries', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, and up to a fifth longer', () => {
    const tries = RETRY_DELAYS_MS.map((_delay, index) => index + 1);
    const expected = [5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
    expect(tries.map((number) => delayAfter(number, null, 0))).toEqual(expected);
    expect(tries.map((number) => delayAfter(number, null, 1))).toEqual(expected.map((ms) => ms * 1.2));
  });

  it('gives up after the eighth attempt', () => {
    expect(stateAfterAttempt(8, response(500), NOW)).toEqual({
      status: 'failed',
      tries: 8,
      nextAttemptAt: null,
    });
  });

  it.each([200, 204, 299])('treats %i as a success', (status) => {
    expect(stateAfterAttempt(3, response(status), NOW)).toEqual({
      status: 'success',
      tries: 3,
      nextAttemptAt: null,
    });
  });

  it.each([0, 199, 301, 304, 400, 410, 500])('treats %i as a failure', (status) => {
    expect(stateAfterAttempt(1, response(status), NOW)).toMatchObject({ status: 'pending' });
  });

  it('honours Retry-After up to a day, but never retries earlier than planned', () => {
    expect(delayAfter(1, HOUR, 0)).toBe(HOUR);
    expect(delayAfter(1, 100 * HOUR, 0)).toBe(24 * HOUR);
    expect(delayAfter(4, 1_000, 0)).toBe(2 * HOUR);
  });

  it('disables after 410, and after five days of failures that include seven hours of one event', () => {
    const since = (hours: number) => new Date(NOW.getTime() - hours * HOUR);
    expect(reasonToDisable(1, response(410), NOW, NOW)).toBe('gone');
    expect(reasonToDisable(6, response(500), since(119), NOW)).toBeNull();
    expect(reasonToDisable(6, response(500), since(120), NOW)).toBe('failing');
    expect(reasonToDisable(5, response(500), since(120), NOW)).toBeNull();
  });
});
