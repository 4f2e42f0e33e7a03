import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { lowestIdAt } from '../validation/parsers.js';
import { announceIncident } from './announce-incident.js';
import { IncidentCountsRepository, type NewCount } from './counts.repository.js';
import { bucketOf, isFirstInWindow, isRecentlyDelivered, type BounceFacts } from './counted-bounces.js';
import {
  BUCKET_MS,
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
import type { Bounce } from './events.repository.js';
import { NO_TEXT } from './incident-count.entity.js';
import { Incident } from './incident.entity.js';
import { IncidentsRepository, type Activity, type Watch } from './incidents.repository.js';

export interface ReadBounce extends Bounce, BounceFacts {
  /** The fingerprint whose hash is `text`. */
  fingerprint: string | null;
}

const DAYS = 28;

@Injectable()
export class DetectionService {
  constructor(
    private readonly incidents: IncidentsRepository,
    private readonly counts: IncidentCountsRepository,
  ) {}

  /** Opens the incidents that some bounces show, and notes what they add to those that run. The bounces are counted already. */
  async detect(
    accountId: number,
    watch: Watch,
    bounces: ReadBounce[],
    transaction: EntityManager,
  ): Promise<void> {
    if (bounces.length === 0) {
      return;
    }
    const times = bounces.map(({ occurredAt }) => bucketOf(occurredAt.getTime()));
    const range = { first: Math.min(...times), last: Math.max(...times) };
    const counts = (await this.counts.findBounced(accountId, range, transaction)).map(toHardCount);
    const recent = await this.incidents.findRecent(accountId, watch.now, transaction);
    const running = recent.filter(({ closedAt }) => closedAt === null);
    const facts = await this.factsFor(accountId, watch, { counts, recent }, transaction);
    const findings = detect(counts, facts);
    const byKey = new Map(findings.map((finding) => [nameOf(finding.key), finding]));
    const activities = running.map((incident) => activityOf(incident, bounces, byKey, watch.now));
    await this.incidents.note(accountId, activities, transaction);
    const known = new Set(running.map((incident) => nameOf(keyOf(incident))));
    for (const finding of findings.filter(({ key }) => !known.has(nameOf(key)))) {
      await this.open(accountId, finding, { bounces, now: watch.now }, transaction);
    }
  }

  private async factsFor(
    accountId: number,
    watch: Watch,
    { counts, recent }: { counts: HardCount[]; recent: Incident[] },
    transaction: EntityManager,
  ): Promise<Facts> {
    const candidates = [...windowsOf(counts, textKey), ...windowsOf(counts, groupKey)].filter(
      ({ addresses }) => addresses >= Math.min(REOPENING_ADDRESSES, watch.minAddresses),
    );
    const results = await this.resultsOf(accountId, candidates, transaction);
    const names = [...new Set(candidates.map(({ key }) => nameOf(key)))];
    const shares =
      names.length > 0
        ? await this.counts.findShares(accountId, names, watch.now, transaction)
        : new Map<string, number[]>();
    const recurring = new Set(recent.map((incident) => nameOf(keyOf(incident))));
    return {
      thresholds: watch,
      resultsIn: ({ key, start }) => sumFrom(results.get(nameOf(key)), start),
      medianShareOf: (key) => medianShare(shares.get(nameOf(key)) ?? [], DAYS),
      isRecurring: (key) => recurring.has(nameOf(key)),
      runningTexts: recent.flatMap(({ closedAt, textHash }) => (closedAt === null && textHash) || []),
    };
  }

  private async resultsOf(
    accountId: number,
    candidates: Window[],
    transaction: EntityManager,
  ): Promise<Map<string, Map<number, number>>> {
    if (candidates.length === 0) {
      return new Map();
    }
    const starts = candidates.map(({ start }) => start);
    const of = (name: 'text' | 'group') => [...new Set(candidates.flatMap(({ key }) => key[name] ?? []))];
    const range = { first: Math.min(...starts), last: Math.max(...starts) };
    return this.counts.sumResults(
      accountId,
      { ...range, texts: of('text'), groups: of('group') },
      transaction,
    );
  }

  private async open(
    accountId: number,
    { key, start, addresses, recent, isConvincing }: Finding,
    { bounces, now }: { bounces: ReadBounce[]; now: Date },
    transaction: EntityManager,
  ): Promise<void> {
    const sample = bounces.find(({ text }) => text === key.text);
    if (key.text !== null && !sample) {
      return; // Its next bounce has the text.
    }
    const incident = this.incidents.create({
      accountId,
      id: uuidv7({ msecs: now.getTime() }),
      textHash: key.text,
      diagnostic: key.text === null ? null : sample!.fingerprint,
      group: key.group,
      addresses,
      held: 0,
      deliveredBefore: recent,
      isConvincing,
      openedAt: now,
      activeAt: now,
      closedAt: null,
      decision: null,
      decidedAt: null,
      actorType: null,
      actorId: null,
      actorName: null,
      settledAt: null,
      heldThrough: lowestIdAt(Math.min(start, now.getTime()) - HELD_BEFORE_MS),
    });
    await transaction.insert(Incident, incident);
    await announceIncident(transaction, 'incident.opened', incident, now);
  }
}

export function keyOf({ textHash, group }: Incident): IncidentKey {
  return textHash === null ? { text: null, group: group! } : { text: textHash, group: null };
}

/** What bounces add to an incident. An address that bounced during the incident before adds nothing. */
function activityOf(
  incident: Incident,
  bounces: ReadBounce[],
  findings: Map<string, Finding>,
  now: Date,
): Activity {
  const key = keyOf(incident);
  const finding = findings.get(nameOf(key));
  const began = incident.openedAt.getTime() - WINDOW_MS;
  const added = bounces
    .filter((bounce) => matches(key, bounce) && isFirstInWindow(bounce))
    .filter(({ lastBounceAt }) => !lastBounceAt || lastBounceAt.getTime() < began);
  return {
    id: incident.id,
    activeAt: finding ? now : null,
    addresses: added.length,
    recent: added.filter(isRecentlyDelivered).length,
    isConvincing: finding?.isConvincing ?? false,
  };
}

export function matches(key: IncidentKey, { text, group }: Pick<BounceFacts, 'text' | 'group'>): boolean {
  return key.text === null ? key.group === group : key.text === text;
}

function sumFrom(results: Map<number, number> | undefined, start: number): number {
  let sum = 0;
  for (let at = start; at < start + WINDOW_MS; at += BUCKET_MS) {
    sum += results?.get(at) ?? 0;
  }
  return sum;
}

function toHardCount({ at, textHash, group, addresses, known, recent }: NewCount): HardCount {
  const text = textHash === NO_TEXT ? null : textHash;
  return { at: at.getTime(), text, group, addresses, known, recent };
}
