import type { JSX } from 'preact';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** `15 January 2026` */
export function dayOf(date: Date): string {
  return DAY.format(date);
}

/** `15 Jan 2026, 09:30 UTC` */
export function Timestamp({ at }: { at: Date | null }): JSX.Element {
  return at ? <time dateTime={at.toISOString()}>{MINUTE.format(at)} UTC</time> : <>–</>;
}
