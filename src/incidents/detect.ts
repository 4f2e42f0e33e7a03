import { groupBy } from '../database/rows.js';

export const BUCKET_MS = 5 * 60_000;
const BUCKETS_OF_WINDOW = 3;
export const WINDOW_MS = BUCKETS_OF_WINDOW * BUCKET_MS;

export function bucketOf(at: number): number {
  return at - (at % BUCKET_MS);
}

/** The subject of an incident: one kind of answer, wherever it comes from, or one group of receiving domains. */
export type IncidentKey = { text: string; group: null } | { text: null; group: string };

/** The addresses of a group of receiving domains that bounced permanently with one answer, in five minutes. */
export interface HardCount {
  /** The start of the five minutes, in milliseconds since 1970. */
  at: number;
  group: string;
  /** Identifies the fingerprint of the answer; null if the fingerprint is empty. */
  text: string | null;
  addresses: number;
  /** How many of the addresses have any known delivery. */
  known: number;
  /** How many of the addresses had a delivery within the last 30 days. */
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

/** For each key, a window for each five-minute interval in which an address bounced. */
export function windowsOf(
  counts: readonly HardCount[],
  keyOf: (count: HardCount) => IncidentKey | null,
): Window[] {
  const named = counts.filter((count) => keyOf(count) !== null);
  const byName = groupBy(named, (count) => nameOf(keyOf(count)!));
  return [...byName.values()].flatMap((own) => windowsOfKey(keyOf(own[0]!)!, own));
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

/**
 * During an incident, and for a while afterwards, this many addresses are enough: an incident at Gmail came back after 19
 * hours.
 */
export const REOPENING_ADDRESSES = 10;
export const REOPENING_MS = 72 * 3_600_000;
/** An incident closes after this time without a window that would open one. */
export const QUIET_MS = 60 * 60_000;
/** Bounces from this time before an incident are also held, since they led to its detection. */
export const HELD_BEFORE_MS = 60 * 60_000;
/** During an outage, the share of bounces is many times the usual one. */
const TIMES_MEDIAN = 5;
/**
 * In an outage, at least this share of the addresses with known deliveries had a recent delivery. Addresses of an old list had
 * none.
 */
const MIN_RECENT = 0.3;
/** If fewer addresses have known deliveries, an outage cannot be distinguished from an old list. */
const MIN_KNOWN = 0.1;

export interface Thresholds {
  /** Distinct addresses that bounce within 15 minutes. */
  minAddresses: number;
  /** A fraction of all results. */
  minShare: number;
}

export interface Facts {
  thresholds: Thresholds;
  /** All results that were reported in the window, of the groups in which the key occurs. */
  resultsIn(window: Window): number;
  /** The median share of the key, by day, of the last 28 days. */
  medianShareOf(key: IncidentKey): number;
  /** Whether an incident of the key is open, or ended within {@link REOPENING_MS}. */
  isRecurring(key: IncidentKey): boolean;
  /** The answers with an open incident. */
  runningTexts: readonly string[];
}

/** A window that opens an incident, or keeps it open. */
export interface Finding extends Window {
  /** Whether the addresses show that the bounces are false: they received mail shortly before. */
  isConvincing: boolean;
}

/**
 * Finds the largest window of each key that looks like an incident. Bounces that belong to an incident of their answer do not
 * count for their group.
 */
export function detect(counts: readonly HardCount[], facts: Facts): Finding[] {
  const ofTexts = findingsIn(windowsOf(counts, textKey), facts);
  const texts = new Set([...facts.runningTexts, ...ofTexts.map(({ key }) => key.text)]);
  const others = counts.filter(({ text }) => text === null || !texts.has(text));
  return [...ofTexts, ...findingsIn(windowsOf(others, groupKey), facts)];
}

function findingsIn(windows: Window[], facts: Facts): Finding[] {
  const largest = new Map<string, Finding>();
  for (const window of windows.toSorted((one, other) => one.start - other.start)) {
    const finding = assess(window, facts);
    if (finding && finding.addresses >= (largest.get(nameOf(window.key))?.addresses ?? 0)) {
      largest.set(nameOf(window.key), finding);
    }
  }
  return [...largest.values()];
}

function assess(window: Window, { thresholds, ...facts }: Facts): Finding | null {
  const { key, addresses, known, recent } = window;
  const minAddresses = facts.isRecurring(key)
    ? Math.min(REOPENING_ADDRESSES, thresholds.minAddresses)
    : thresholds.minAddresses;
  if (addresses < minAddresses) {
    return null;
  }
  const minShare = Math.max(thresholds.minShare, TIMES_MEDIAN * facts.medianShareOf(key));
  if (addresses < minShare * facts.resultsIn(window)) {
    return null;
  }
  const isConvincing = known > 0 && known >= MIN_KNOWN * addresses;
  return isConvincing && recent < MIN_RECENT * known ? null : { ...window, isConvincing };
}

const DAYS = 28;

/** @param shares - of the last 28 days, without days on which the key was rare */
export function medianShare(shares: readonly number[]): number {
  const all = [...shares, ...Array.from({ length: Math.max(0, DAYS - shares.length) }, () => 0)];
  return all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0;
}
