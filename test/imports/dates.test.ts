import {
  DATE_FORMATS,
  needsDateFormat,
  parseDate,
  parsePastPeriod,
  type DateFormat,
  type DateOptions,
} from '../../src/imports/dates.js';
import { canonicalTimeZone } from '../../src/imports/time-zone.js';

const NOW = new Date('2026-11-21T00:00:00Z');

function read(text: string, format: DateFormat | null = null, timeZone = 'UTC'): string[] | null {
  const options: DateOptions = { format, timeZone };
  const period = parsePastPeriod(text, NOW, options);
  return period && [period.earliest.toISOString(), period.latest.toISOString()];
}

/** The period of a single time. */
const at = (time: string) => [time, time];

describe('dates of providers', () => {
  it.each([
    ['1586552585.077', '2020-04-10T21:03:05.077Z'],
    ['1443651125', '2015-09-30T22:12:05.000Z'],
    ['2020-09-20T08:02:05.934000+00:00', '2020-09-20T08:02:05.934Z'],
    ['2019-12-17T08:58:33-05:00', '2019-12-17T13:58:33.000Z'],
    ['2023-10-06 23:47:56.678+00', '2023-10-06T23:47:56.678Z'],
    ['2015-11-03 10:22:19.9567', '2015-11-03T10:22:19.956Z'],
    ['2015-11-03', '2015-11-03T00:00:00.000Z'],
    ['2021/4/3 1:02', '2021-04-03T01:02:00.000Z'],
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
    '2021/02-03',
    '1969-12-31',
    '2021-13-01',
    '2021-01-01T24:00:00Z',
    '2021-01-01T00:00:60Z',
    '2021-01-01T00:00:00+24:00',
    '31 Apr 2021 11:02:55 GMT',
    'Fri, 21 Oct 2011 11:02:55 EST',
  ])('does not guess %j', (text) => expect(parseDate(text)).toBeNull());

  it('takes a date that is slightly ahead as now, and refuses one that is further ahead', () => {
    expect(read('2026-11-21T12:00:00Z')?.[0]).toBe(NOW.toISOString());
    expect(read('2026-11-23T00:00:00Z')).toBeNull();
  });

  it('takes a date without a time as the whole day', () => {
    expect(read('2021-04-03')).toEqual(['2021-04-03T00:00:00.000Z', '2021-04-03T23:59:59.999Z']);
    expect(read('2021-04-03', null, 'Europe/Berlin')).toEqual([
      '2021-04-02T22:00:00.000Z',
      '2021-04-03T21:59:59.999Z',
    ]);
  });

  it.each<[string, DateFormat, string]>([
    ['03.04.2021 14:05', 'dd.mm.yyyy', '2021-04-03T14:05:00.000Z'],
    ['3.4.2021, 14:05:30', 'dd.mm.yyyy', '2021-04-03T14:05:30.000Z'],
    ['03/04/2021 00:00', 'dd/mm/yyyy', '2021-04-03T00:00:00.000Z'],
    ['03/04/2021 00:00', 'mm/dd/yyyy', '2021-03-04T00:00:00.000Z'],
    ['4/3/2021 2:05 PM', 'mm/dd/yyyy', '2021-04-03T14:05:00.000Z'],
    ['4/3/2021, 12:05:00 a.m.', 'mm/dd/yyyy', '2021-04-03T00:05:00.000Z'],
    ['31-12-2020 23:59', 'dd-mm-yyyy', '2020-12-31T23:59:00.000Z'],
  ])('reads %s as %s', (text, format, expected) => {
    expect(needsDateFormat(text)).toBe(true);
    expect(read(text)).toBeNull();
    expect(read(text, format)).toEqual(at(expected));
  });

  it.each(DATE_FORMATS)('reads the other dates in a file whose format is %s', (format) => {
    expect(read('2021-04-03T10:00:00+02:00', format)).toEqual(at('2021-04-03T08:00:00.000Z'));
    expect(read('1443651125', format)).toEqual(at('2015-09-30T22:12:05.000Z'));
    expect(read('21 Oct 2011 11:02 +0200', format)).toEqual(at('2011-10-21T09:02:00.000Z'));
  });

  it.each<[string, DateFormat]>([
    ['12/31/2020', 'dd/mm/yyyy'],
    ['31/12/2020', 'mm/dd/yyyy'],
    ['30.02.2021', 'dd.mm.yyyy'],
    ['03.04.21', 'dd.mm.yyyy'],
    ['03.04.2021', 'dd/mm/yyyy'],
    ['03.04.2021 25:00', 'dd.mm.yyyy'],
    ['4/3/2021 13:05 PM', 'mm/dd/yyyy'],
    ['4/3/2021 0:05 AM', 'mm/dd/yyyy'],
    ['03.04.2021 14', 'dd.mm.yyyy'],
  ])('does not read %s as %s', (text, format) => expect(read(text, format)).toBeNull());

  it.each([
    ['15.01.2021 12:00', at('2021-01-15T11:00:00.000Z')],
    ['15.07.2021 12:00', at('2021-07-15T10:00:00.000Z')],
    ['2021-07-15 12:00', at('2021-07-15T10:00:00.000Z')],
    ['2021-07-15 12:00Z', at('2021-07-15T12:00:00.000Z')],
    ['31.10.2021 02:30', ['2021-10-31T00:30:00.000Z', '2021-10-31T01:30:00.000Z']],
    ['28.03.2021 02:30', null],
    ['28.03.2021', ['2021-03-27T23:00:00.000Z', '2021-03-28T21:59:59.999Z']],
  ])('reads %s in Berlin', (text, expected) => {
    expect(read(text, 'dd.mm.yyyy', 'Europe/Berlin')).toEqual(expected);
  });

  it('finds the time of a clock at every hour of a year in zones whose clocks change', () => {
    const missed: string[] = [];
    for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Africa/Casablanca', 'Australia/Lord_Howe']) {
      const clock = new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        dateStyle: 'short',
        timeStyle: 'short',
      });
      for (let time = Date.UTC(2018, 0); time < Date.UTC(2019, 0); time += 3_600_000) {
        const text = clock.format(time);
        const times = read(text, null, zone)?.map(Date.parse);
        missed.push(...(times?.includes(time) ? [] : [`${zone} ${text}`]));
      }
    }
    expect(missed).toEqual([]);
  });

  it('begins a day whose midnight the clocks left out when they begin', () => {
    expect(read('04/11/2018', 'dd/mm/yyyy', 'America/Sao_Paulo')?.[0]).toBe('2018-11-04T03:00:00.000Z');
  });

  it('knows the names of time zones', () => {
    expect(['utc', 'eUROPE/bERLIN'].map(canonicalTimeZone)).toEqual(['UTC', 'Europe/Berlin']);
    const unknown = ['', 'Berlin', '+02:00', 'Europe/Berlin '];
    expect(unknown.map(canonicalTimeZone)).toEqual(unknown.map(() => null));
  });
});
