import type { JSX } from 'preact';
import { Input } from './form.js';

/** The days as the person entered them. */
export type EnteredDates = Record<'created_after' | 'created_before', string>;

/** The days between which something was created, for a filter. */
export function DateInputs({ entered }: { entered: EnteredDates }): JSX.Element {
  const { created_after: after, created_before: before } = entered;
  return (
    <>
      <Input name="created_after" label="From (UTC)" type="date" value={after} optional={false} />
      <Input name="created_before" label="Before (UTC)" type="date" value={before} optional={false} />
    </>
  );
}
