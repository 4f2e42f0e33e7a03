const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** The only place where a timestamp may break is before its time. */
const SPACE_WITHIN = /(?<!,) /g;

interface TwoTimestampsProps {
  at: Date;
  other: Date;
  /** What happened at the other time, such as "received". */
  verb: string;
  /** In a table, the other one is below. */
  isCell?: boolean;
}

/** A timestamp, and another one unless it is the same minute. */
export function TwoTimestamps({ at, other, verb, isCell = false }: TwoTimestampsProps) {
  if (MINUTE.format(at) === MINUTE.format(other)) {
    return <Timestamp at={at} />;
  }
  const second = (
    <>
      {verb} <Timestamp at={other} />
    </>
  );
  return (
    <>
      <Timestamp at={at} />
      {isCell ? <div class="muted">{second}</div> : <span class="muted">, {second}</span>}
    </>
  );
}

/** `15 Jan 2026, 09:30 UTC` */
export function minuteOf(date: Date): string {
  return `${MINUTE.format(date)} UTC`;
}

/** `15 January 2026` */
export function dayOf(date: Date): string {
  return DAY.format(date);
}

/** {@link minuteOf}, with the seconds in its title. */
export function Timestamp({ at }: { at: Date | null }) {
  if (!at) {
    return <>–</>;
  }
  const iso = at.toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      {minuteOf(at).replaceAll(SPACE_WITHIN, '\u00a0')}
    </time>
  );
}
