import { v7 as uuidv7 } from 'uuid';
import { lowestIdAt } from '../validation/parsers.js';
import { isFirstInWindow, isRecentlyDelivered, type Answer, type Bounce } from './bounces.js';
import { findBounced, findShares, sumResults } from './counts.js';
import {
  BUCKET_MS,
  bucketOf,
  detect,
  groupKey,
  HELD_BEFORE_MS,
  medianShare,
  nameOf,
  REOPENING_ADDRESSES,
  textKey,
  WINDOW_MS,
  windowsOf,
  type Facts,
  type Finding,
  type HardCount,
  type IncidentKey,
  type Window,
} from './detect.js';
import { announceIncident } from './incident.dto.js';
import { Incident } from './incident.entity.js';
import { findRecent } from './running-incidents.js';
import type { Watch } from './watches.js';

/** Opens incidents that the bounces show, and adds their activity to open ones. The bounces have already been counted. */
export async function detectIncidents(watch: Watch, bounces: Bounce[]): Promise<void> {
  if (bounces.length === 0) {
    return;
  }
  const times = bounces.map(({ occurredAt }) => bucketOf(occurredAt.getTime()));
  const range = { first: Math.min(...times), last: Math.max(...times) };
  const counts = await findBounced(watch, range);
  const recent = await findRecent(watch);
  const running = recent.filter(({ closedAt }) => closedAt === null);
  const findings = detect(counts, await factsFor(watch, counts, recent));
  const byKey = new Map(findings.map((finding) => [nameOf(finding.key), finding]));
  for (const incident of running) {
    await noteActivity(watch, incident, bounces, byKey.get(nameOf(keyOf(incident))));
  }
  const known = new Set(running.map((incident) => nameOf(keyOf(incident))));
  for (const finding of findings.filter(({ key }) => !known.has(nameOf(key)))) {
    await open(watch, finding, bounces);
  }
}

async function factsFor(watch: Watch, counts: HardCount[], recent: Incident[]): Promise<Facts> {
  const candidates = [...windowsOf(counts, textKey), ...windowsOf(counts, groupKey)].filter(
    ({ addresses }) => addresses >= Math.min(REOPENING_ADDRESSES, watch.minAddresses),
  );
  const results = await resultsOf(watch, candidates);
  const names = [...new Set(candidates.map(({ key }) => nameOf(key)))];
  const shares = names.length > 0 ? await findShares(watch, names) : new Map<string, number[]>();
  const recurring = new Set(recent.map((incident) => nameOf(keyOf(incident))));
  return {
    thresholds: watch,
    resultsIn: ({ key, start }) => sumFrom(results.get(nameOf(key)), start),
    medianShareOf: (key) => medianShare(shares.get(nameOf(key)) ?? []),
    isRecurring: (key) => recurring.has(nameOf(key)),
    runningTexts: recent.flatMap(({ closedAt, textHash }) => (closedAt === null && textHash) || []),
  };
}

async function resultsOf(watch: Watch, candidates: Window[]): Promise<Map<string, Map<number, number>>> {
  if (candidates.length === 0) {
    return new Map();
  }
  const starts = candidates.map(({ start }) => start);
  const of = (name: 'text' | 'group') => [...new Set(candidates.flatMap(({ key }) => key[name] ?? []))];
  const range = { first: Math.min(...starts), last: Math.max(...starts) };
  return sumResults(watch, { ...range, texts: of('text'), groups: of('group') });
}

async function open(
  { accountId, now, transaction }: Watch,
  { key, start, addresses, recent, isConvincing }: Finding,
  bounces: Bounce[],
): Promise<void> {
  const sample = bounces.find(({ text }) => text === key.text);
  if (key.text !== null && !sample) {
    return; // The text is known only with the next bounce.
  }
  const id = uuidv7({ msecs: now.getTime() });
  await transaction.insert(Incident, {
    accountId,
    id,
    textHash: key.text,
    diagnostic: key.text === null ? null : sample!.fingerprint,
    group: key.group,
    addresses,
    deliveredBefore: recent,
    isConvincing,
    openedAt: now,
    activeAt: now,
    heldThrough: lowestIdAt(Math.min(start, now.getTime()) - HELD_BEFORE_MS),
  });
  const incident = await transaction.findOneByOrFail(Incident, { accountId, id });
  await announceIncident(transaction, 'incident.opened', incident, now);
}

export function keyOf({ textHash, group }: Incident): IncidentKey {
  return textHash === null ? { text: null, group: group! } : { text: textHash, group: null };
}

/**
 * Adds the activity of bounces to an incident, which only the holder of the watch changes. An address that has already bounced
 * during the incident adds nothing.
 */
async function noteActivity(
  { accountId, now, transaction }: Watch,
  incident: Incident,
  bounces: Bounce[],
  finding: Finding | undefined,
): Promise<void> {
  const { id, addresses, deliveredBefore, isConvincing } = incident;
  const key = keyOf(incident);
  const began = incident.openedAt.getTime() - WINDOW_MS;
  const added = bounces
    .filter((bounce) => matches(key, bounce) && isFirstInWindow(bounce))
    .filter(({ lastBounceAt }) => !lastBounceAt || lastBounceAt.getTime() < began);
  if (added.length === 0 && !finding) {
    return;
  }
  await transaction.update(
    Incident,
    { accountId, id },
    {
      addresses: addresses + added.length,
      deliveredBefore: deliveredBefore + added.filter(isRecentlyDelivered).length,
      ...(finding && { activeAt: now, isConvincing: isConvincing || finding.isConvincing }),
    },
  );
}

export function matches(key: IncidentKey, { text, group }: Pick<Answer, 'text' | 'group'>): boolean {
  return key.text === null ? key.group === group : key.text === text;
}

function sumFrom(results: Map<number, number> | undefined, start: number): number {
  let sum = 0;
  for (let at = start; at < start + WINDOW_MS; at += BUCKET_MS) {
    sum += results?.get(at) ?? 0;
  }
  return sum;
}
