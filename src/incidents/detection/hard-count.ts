export const BUCKET_MS = 5 * 60_000;
const BUCKETS_OF_WINDOW = 3;
export const WINDOW_MS = BUCKETS_OF_WINDOW * BUCKET_MS;

/** What an incident is about: one kind of answer, wherever it comes from, or one group of receiving domains. */
export type IncidentKey = { text: string; group: null } | { text: null; group: string };

/** The addresses of a group of receiving domains that bounced permanently with one answer, in five minutes. */
export interface HardCount {
  /** The start of the five minutes, in milliseconds since 1970. */
  at: number;
  group: string;
  /** Identifies the fingerprint of the answer; null if it says nothing. */
  text: string | null;
  addresses: number;
  /** How many of them any delivery is known of. */
  known: number;
  /** How many of them an email was delivered to within 30 days. */
  recent: number;
}

/** The addresses of a key that bounced within {@link WINDOW_MS}. */
export interface Window extends Pick<HardCount, 'addresses' | 'known' | 'recent'> {
  key: IncidentKey;
  /** In milliseconds since 1970. */
  start: number;
}

export function nameOf({ text, group }: IncidentKey): string {
  return text ?? group;
}

export function textKey({ text }: HardCount): IncidentKey | null {
  return text === null ? null : { text, group: null };
}

export function groupKey({ group }: HardCount): IncidentKey {
  return { text: null, group };
}

/** For each key, a window that starts at each five minutes in which an address bounced. */
export function windowsOf(
  counts: readonly HardCount[],
  keyOf: (count: HardCount) => IncidentKey | null,
): Window[] {
  const byKey = new Map<string, { key: IncidentKey; counts: HardCount[] }>();
  for (const count of counts) {
    const key = keyOf(count);
    if (key) {
      const own = byKey.get(nameOf(key)) ?? { key, counts: [] };
      own.counts.push(count);
      byKey.set(nameOf(key), own);
    }
  }
  return [...byKey.values()].flatMap((own) => windowsOfKey(own.key, own.counts));
}

function windowsOfKey(key: IncidentKey, counts: HardCount[]): Window[] {
  const starts = new Set(counts.filter(({ addresses }) => addresses > 0).map(({ at }) => at));
  return [...starts].map((start) => {
    const window: Window = { key, start, addresses: 0, known: 0, recent: 0 };
    for (const { at, addresses, known, recent } of counts) {
      if (at >= start && at < start + WINDOW_MS) {
        window.addresses += addresses;
        window.known += known;
        window.recent += recent;
      }
    }
    return window;
  });
}
