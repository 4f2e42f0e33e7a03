import { Invalid, parseTimestamp } from '../../src/validation/parsers.js';

it('says what is wrong with a timestamp', () => {
  expect(parseTimestamp('2026-01-15T09:30:00 01:00')).toMatchObject({
    problem: expect.stringContaining('%2B'),
  });
  expect(parseTimestamp('2026-01-15T09:30:00')).toMatchObject({
    problem: expect.not.stringContaining('%2B'),
  });
  expect(parseTimestamp('1969-12-31T23:59:59Z')).toEqual(new Invalid('must be in 1970 or later'));
});
