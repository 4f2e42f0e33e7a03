import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { afterCommit } from '../database/commit.js';
import { transactionBefore } from '../database/transaction.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { announceIncident } from './announce-incident.js';
import { IncidentDecidedError, IncidentNotFoundError, NothingHeldError } from './errors.js';
import { IncidentSweep } from './incident-sweep.js';
import { Incident } from './incident.entity.js';
import type { IncidentDecision } from './incident-states.js';
import { IncidentsRepository, type Interval } from './incidents.repository.js';

@Injectable()
export class IncidentsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly incidents: IncidentsRepository,
    private readonly sweep: IncidentSweep,
  ) {}

  list(accountId: number, cursor: Cursor): Promise<Page<Incident>> {
    return findPage<Incident>(this.incidents, [{ accountId }], cursor);
  }

  /** @throws {IncidentNotFoundError} */
  async get(accountId: number, id: string): Promise<Incident> {
    const incident = await this.incidents.findOneBy({ accountId, id });
    if (!incident) {
      throw new IncidentNotFoundError();
    }
    return incident;
  }

  /** The incidents that run, or that hold bounces that nobody has decided on, newest first. */
  findUndecided(accountId: number): Promise<Incident[]> {
    return this.incidents.findUndecided(accountId);
  }

  /** How many addresses bounced in each five minutes of the last three hours of an incident, oldest first. */
  bouncesOf(incident: Incident): Promise<Interval[]> {
    return this.incidents.findIntervals(incident);
  }

  /**
   * Records a decision. The list follows in the background.
   *
   * @throws {IncidentNotFoundError}
   * @throws {IncidentDecidedError}
   * @throws {NothingHeldError}
   */
  decide(context: RequestContext, id: string, decision: IncidentDecision): Promise<Incident> {
    const { accountId, actor, deadline } = context;
    return transactionBefore(this.dataSource, deadline, async (transaction) => {
      const where = { accountId, id };
      const found = await transaction.findOne(Incident, { where, lock: { mode: 'for_no_key_update' } });
      if (!found) {
        throw new IncidentNotFoundError();
      }
      if (found.decision) {
        throw new IncidentDecidedError(found.decision);
      }
      if (decision === 'lift' && found.held === 0) {
        throw new NothingHeldError();
      }
      const [{ now: decidedAt }] = (await transaction.query('SELECT now()')) as [{ now: Date }];
      const by = { actorType: actor.type, actorId: actor.id, actorName: actor.name };
      const decided = { ...found, decision, decidedAt, ...by };
      await transaction.update(Incident, where, { decision, decidedAt, ...by });
      const subject = { id, name: found.group ?? found.diagnostic! };
      const changes = { decision: { from: null, to: decision } };
      await recordAudit(transaction, context, 'incident.decided', subject, changes);
      await announceIncident(transaction, 'incident.decided', decided, decidedAt);
      afterCommit(transaction, () => void this.sweep.run());
      return decided;
    });
  }
}
