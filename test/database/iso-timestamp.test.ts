import { isoTimestampOf, toIsoTimestamp } from '../../src/database/iso-timestamp.js';

const DAY_MS = 86_400_000;

describe('a timestamp', () => {
  it.each([
    0,
    1,
    DAY_MS - 1,
    DAY_MS,
    -1,
    -DAY_MS,
    -62_167_219_200_000,
    253_402_300_799_999,
    2 ** 48 - 1,
    Date.UTC(2024, 1, 29, 23, 59, 59, 999),
  ])('is formatted as by Date: %d', (milliseconds) => {
    expect(isoTimestampOf(milliseconds)).toBe(new Date(milliseconds).toISOString());
  });

  it('has the format of Date at random times of chosen days', () => {
    for (let ms = Date.UTC(2026, 11, 30); ms < Date.UTC(2027, 0, 2); ms += 98_765) {
      expect(isoTimestampOf(ms)).toBe(new Date(ms).toISOString());
    }
  });

  it('is formatted as by Date on any day, in any order', () => {
    for (const day of [0, 4_096, 0, -4_096, 8_192, 4_096, 1, 4_097, 1, -1, 4_095, -1]) {
      expect(isoTimestampOf(day * DAY_MS)).toBe(new Date(day * DAY_MS).toISOString());
    }
  });

  it.each([
    ['2026-01-15 09:30:00', '2026-01-15T09:30:00.000Z'],
    ['2026-01-15 09:30:00.1', '2026-01-15T09:30:00.100Z'],
    ['2026-01-15 09:30:00.123', '2026-01-15T09:30:00.123Z'],
    ['2026-01-15 09:30:00.123987', '2026-01-15T09:30:00.123Z'],
    ['2026-01-15T09:30:00.123987Z', '2026-01-15T09:30:00.123Z'],
  ])('of PostgreSQL becomes one of ISO 8601: %s', (text, iso) => {
    expect(toIsoTimestamp(text)).toBe(iso);
  });
});
