import { Invalid } from '../../src/validation/invalid.js';
import { parseInstant } from '../../src/validation/timestamp.js';

it('says what is wrong with a timestamp', () => {
  expect(parseInstant('2026-01-15T09:30:00 01:00')).toMatchObject({
    problem: expect.stringContaining('%2B'),
  });
  expect(parseInstant('2026-01-15T09:30:00')).toMatchObject({ problem: expect.not.stringContaining('%2B') });
  expect(parseInstant('1969-12-31T23:59:59Z')).toEqual(new Invalid('must be in 1970 or later'));
});
