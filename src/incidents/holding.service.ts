import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../audit/actor.js';
import type { Identity } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import type { ChangeActor } from '../ledger/evidence.js';
import { receivingGroup } from '../email-address/receiving-group.js';
import { HoldsRepository } from '../suppressions/holds.repository.js';
import { RemovalsRepository } from '../suppressions/removals.repository.js';
import { announceIncident } from './announce-incident.js';
import { keyOf, matches } from './detection.service.js';
import { QUIET_MS } from './detect.js';
import { IncidentEventsRepository, type SuppressingBounce } from './events.repository.js';
import { Incident } from './incident.entity.js';
import type { IncidentDecision } from './incident-states.js';
import { IncidentsRepository, type Watch } from './incidents.repository.js';
import { hashOfText, textOf } from './counted-bounces.js';

const DAY_MS = 86_400_000;
const SYSTEM: Actor = { type: 'system', id: null, name: 'incident' };
const NOTES: Readonly<Record<IncidentDecision, string>> = {
  lift: 'Lifted with an incident: the bounces were false.',
  keep: 'Kept after an incident: the bounces were true.',
};

/** What happens to the list because of incidents, and their ends. Each step is a transaction, and the next one continues. */
@Injectable()
export class HoldingService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly incidents: IncidentsRepository,
    private readonly events: IncidentEventsRepository,
    private readonly holds: HoldsRepository,
    private readonly removals: RemovalsRepository,
  ) {}

  /**
   * Holds some bounces of an incident, if the account wants that.
   *
   * @returns whether there may be more
   */
  hold(accountId: number): Promise<boolean> {
    return this.watching(accountId, async (watch, transaction) => {
      const recent =
        watch.guard === 'hold' ? await this.incidents.findRecent(accountId, watch.now, transaction) : [];
      const incident = recent.find((candidate) => mayHold(candidate, watch));
      if (incident) {
        await this.holdSome(incident, watch, transaction);
      }
      return incident !== undefined;
    });
  }

  private async holdSome(
    incident: Incident,
    { lastEventId, now }: Watch,
    transaction: EntityManager,
  ): Promise<void> {
    const { accountId, id } = incident;
    const range = {
      after: incident.heldThrough,
      through: lastEventId,
      since: new Date(now.getTime() - DAY_MS),
    };
    const { bounces, isLast } = await this.events.readSuppressing(accountId, range, transaction);
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

  /** Closes the incidents of an account that have been quiet. All its events must have been counted. */
  close(accountId: number): Promise<void> {
    return this.watching(accountId, async ({ now }, transaction) => {
      const recent = await this.incidents.findRecent(accountId, now, transaction);
      const quietSince = now.getTime() - QUIET_MS;
      for (const incident of recent) {
        if (incident.closedAt === null && incident.activeAt.getTime() <= quietSince) {
          await transaction.update(Incident, { accountId, id: incident.id }, { closedAt: now });
          await announceIncident(transaction, 'incident.closed', { ...incident, closedAt: now }, now);
        }
      }
      await this.holds.forgetOver(accountId, transaction);
      return false;
    }).then(() => undefined);
  }

  /**
   * Applies a decision to some of the bounces that the incident held until then.
   *
   * @returns whether there may be more
   */
  settle(accountId: number): Promise<boolean> {
    return this.watching(accountId, async ({ now }, transaction) => {
      const incident = await this.incidents.findUnsettled(accountId, transaction);
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

  private watching(
    accountId: number,
    work: (watch: Watch, transaction: EntityManager) => Promise<boolean>,
  ): Promise<boolean> {
    return transactionBefore(this.dataSource, Infinity, async (transaction) => {
      const watch = await this.incidents.lock(accountId, transaction);
      return watch !== null && work(watch, transaction);
    });
  }
}

function mayHold(
  { closedAt, isConvincing, decision, heldThrough }: Incident,
  { lastEventId }: Watch,
): boolean {
  return closedAt === null && isConvincing && decision !== 'keep' && heldThrough < lastEventId;
}

function isPartOf(incident: Incident, { diagnostic, email }: SuppressingBounce): boolean {
  const text = textOf(diagnostic, email);
  return matches(keyOf(incident), {
    text: text === null ? null : hashOfText(text),
    group: receivingGroup(email.slice(email.lastIndexOf('@') + 1)),
  });
}

function identityOf({ accountId, id }: Incident, actor: Actor): Identity & { actor: ChangeActor } {
  return { accountId, actor: { ...actor, evidence: { incident: id } } };
}
