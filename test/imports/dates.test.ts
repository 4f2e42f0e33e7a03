import { parseDate, parsePastDate } from '../../src/imports/formats/dates.js';

describe('dates of providers', () => {
  it.each([
    ['1586552585.077', '2020-04-10T21:03:05.077Z'],
    ['1443651125', '2015-09-30T22:12:05.000Z'],
    ['2020-09-20T08:02:05.934000+00:00', '2020-09-20T08:02:05.934Z'],
    ['2019-12-17T08:58:33-05:00', '2019-12-17T13:58:33.000Z'],
    ['2023-10-06 23:47:56.678+00', '2023-10-06T23:47:56.678Z'],
    ['2015-11-03 10:22:19.9567', '2015-11-03T10:22:19.956Z'],
    ['2015-11-03', '2015-11-03T00:00:00.000Z'],
    ['Fri, 21 Oct 2011 11:02:55 GMT', '2011-10-21T11:02:55.000Z'],
    ['Fri, 21 Oct 2011 11:02:55 UTC', '2011-10-21T11:02:55.000Z'],
    ['21 Oct 2011 11:02 +0200', '2011-10-21T09:02:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(parseDate(text)?.toISOString()).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '12/31/2020',
    '31.12.2020',
    '2021-02-30',
    '1969-12-31',
    '2021-13-01',
    '2021-01-01T24:00:00Z',
    '2021-01-01T00:00:60Z',
    '2021-01-01T00:00:00+24:00',
    '31 Apr 2021 11:02:55 GMT',
    'Fri, 21 Oct 2011 11:02:55 EST',
  ])('does not guess %j', (text) => expect(parseDate(text)).toBeNull());

  it('takes a date that is slightly ahead as now, and refuses one that is further ahead', () => {
    const now = new Date('2026-11-21T00:00:00Z');
    expect(parsePastDate('2026-11-21T12:00:00Z', now)).toEqual(now);
    expect(parsePastDate('2026-11-23T00:00:00Z', now)).toBeNull();
  });
});
