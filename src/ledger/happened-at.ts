const PRECISION_MS = 1000;

/** When something happened: the reported time, but not later than the time of recording, since clocks differ. */
export function happenedAt(occurredAt: Date | null, recordedAt: Date): Date {
  return occurredAt && occurredAt < recordedAt ? occurredAt : recordedAt;
}

/** Sorts by time, to the second, the newest first. Within a second, the given order remains. */
export function newestFirst<Element>(
  elements: readonly Element[],
  timeOf: (element: Element) => Date,
): Element[] {
  const second = (element: Element) => Math.floor(timeOf(element).getTime() / PRECISION_MS);
  return elements.toSorted((one, other) => second(other) - second(one));
}
