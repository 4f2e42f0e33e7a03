import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../audit/actor.js';
import type { Identity } from '../audit/request-context.js';
import type { ChangeActor } from '../ledger/evidence.js';
import { HoldsRepository } from '../suppressions/holds.repository.js';
import { RemovalsRepository } from '../suppressions/removals.repository.js';
import { answerOf, readSuppressing, type SuppressingBounce } from './bounces.js';
import { QUIET_MS } from './detect.js';
import { keyOf, matches } from './detection.js';
import type { IncidentDecision } from './incident-states.js';
import { announceIncident } from './incident.dto.js';
import { Incident } from './incident.entity.js';
import { findRecent, findUnsettled } from './running-incidents.js';
import { IncidentWatches, type Watch } from './watches.js';

const DAY_MS = 86_400_000;
const SYSTEM: Actor = { type: 'system', id: null, name: 'incident' };
const NOTES: Readonly<Record<IncidentDecision, string>> = {
  lift: 'Lifted with an incident: the bounces were false.',
  keep: 'Kept after an incident: the bounces were true.',
};

/** Applies incidents, and their ends, to the list. Each step is a transaction, and the next step continues from there. */
@Injectable()
export class HoldingService {
  constructor(
    private readonly watches: IncidentWatches,
    private readonly holds: HoldsRepository,
    private readonly removals: RemovalsRepository,
  ) {}

  /**
   * Holds some bounces of an incident, if the account has chosen this.
   *
   * @returns whether there may be more
   */
  async hold(accountId: number): Promise<boolean> {
    return this.watches.watching(accountId, false, async (watch) => {
      const recent = watch.guard === 'hold' ? await findRecent(watch) : [];
      const incident = recent.find((candidate) => mayHold(candidate, watch));
      if (incident) {
        await this.holdSome(incident, watch);
      }
      return incident !== undefined;
    });
  }

  private async holdSome(incident: Incident, watch: Watch): Promise<void> {
    const { accountId, id } = incident;
    const { lastEventId, now, transaction } = watch;
    const range = { after: incident.heldThrough, since: new Date(now.getTime() - DAY_MS) };
    const { bounces, isLast } = await readSuppressing(watch, range);
    const until = new Date(now.getTime() + DAY_MS);
    const held = await this.holds.hold(
      identityOf(incident, SYSTEM),
      bounces.filter((bounce) => isPartOf(incident, bounce)),
      {
        incidentId: id,
        until,
        note: 'Held because of an incident. Expires in 24 hours unless the bounces are confirmed.',
      },
      transaction,
    );
    const heldThrough = isLast ? lastEventId : bounces.at(-1)!.id;
    await transaction.update(Incident, { accountId, id }, { heldThrough, held: incident.held + held });
  }

  /** Closes the quiet incidents of an account. All its events must have been counted. */
  async close(accountId: number): Promise<void> {
    await this.watches.watching(accountId, undefined, async (watch) => {
      const { now, transaction } = watch;
      const recent = await findRecent(watch);
      const quietSince = now.getTime() - QUIET_MS;
      for (const incident of recent) {
        if (incident.closedAt === null && incident.activeAt.getTime() <= quietSince) {
          await transaction.update(Incident, { accountId, id: incident.id }, { closedAt: now });
          await announceIncident(transaction, 'incident.closed', { ...incident, closedAt: now }, now);
        }
      }
      await this.holds.forgetOver(accountId, transaction);
    });
  }

  /**
   * Applies a decision to some of the bounces that the incident held until then.
   *
   * @returns whether there may be more
   */
  async settle(accountId: number): Promise<boolean> {
    return this.watches.watching(accountId, false, async (watch) => {
      const { now, transaction } = watch;
      const incident = await findUnsettled(watch);
      if (!incident) {
        return false;
      }
      const { id, decision, decidedAt } = incident;
      const until =
        decision === 'keep' ? new Date(now.getTime() + 2 * DAY_MS) : new Date(decidedAt!.getTime() + DAY_MS);
      const ids = await this.holds.find(accountId, id, until, transaction);
      if (ids.length === 0) {
        await transaction.update(Incident, { accountId, id }, { settledAt: now });
      } else {
        await this.settleSome(incident, ids, transaction);
      }
      return true;
    });
  }

  private async settleSome(incident: Incident, ids: string[], transaction: EntityManager): Promise<void> {
    const decision = incident.decision!;
    const note = NOTES[decision];
    const { actorType, actorId, actorName } = incident;
    const identity = identityOf(incident, { type: actorType!, id: actorId, name: actorName! });
    if (decision === 'keep') {
      await this.holds.keep(identity, ids, note, transaction);
      return;
    }
    const held = await this.holds.take(incident.accountId, ids, transaction);
    if (held.length > 0) {
      const lift = { cause: 'bounce', note, liftable: ['bounce'] } as const;
      await this.removals.lift(identity, { ids: held }, lift, transaction);
    }
  }
}

function mayHold(
  { closedAt, isConvincing, decision, heldThrough }: Incident,
  { lastEventId }: Watch,
): boolean {
  return closedAt === null && isConvincing && decision !== 'keep' && heldThrough < lastEventId;
}

function isPartOf(incident: Incident, bounce: SuppressingBounce): boolean {
  return matches(keyOf(incident), answerOf(bounce));
}

function identityOf({ accountId, id }: Incident, actor: Actor): Identity & { actor: ChangeActor } {
  return { accountId, actor: { ...actor, evidence: { incident: id } } };
}
