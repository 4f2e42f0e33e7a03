import { Injectable } from '@nestjs/common';
import { DataSource, Repository } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { afterCommit, transactionBefore } from '../database/transaction.js';
import { requireFound } from '../http/errors/api-error.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { IncidentDecidedError, IncidentNotFoundError, NothingHeldError } from './errors.js';
import type { IncidentDecision } from './incident-states.js';
import { IncidentSweep } from './incident-sweep.js';
import { announceIncident } from './incident.dto.js';
import { Incident } from './incident.entity.js';

/** Reads only the last three hours, and only while the counts are kept. */
const FIND_INTERVALS = new PreparedStatement<Interval>(
  'find-incident-intervals',
  `SELECT at, sum(addresses)::integer AS addresses
  FROM incident_counts
  WHERE account_id = $1
    AND at > $4::timestamptz - interval '3 hours'
    AND at <= $4
    AND (text_hash = $2 OR receiving_group = $3)
    AND addresses > 0
  GROUP BY at
  ORDER BY at`,
);

/** Addresses that bounced in five minutes. */
export interface Interval {
  /** The start of the five minutes. */
  at: Date;
  addresses: number;
}

@Injectable()
export class IncidentsService {
  private readonly incidents: Repository<Incident>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly sweep: IncidentSweep,
  ) {
    this.incidents = dataSource.getRepository(Incident);
  }

  list(accountId: number, cursor: Cursor): Promise<Page<Incident>> {
    return findPage(this.incidents, [{ accountId }], cursor);
  }

  /** @throws {IncidentNotFoundError} */
  async get(accountId: number, id: string): Promise<Incident> {
    return requireFound(await this.incidents.findOneBy({ accountId, id }), IncidentNotFoundError);
  }

  /** The incidents that are open, or that hold bounces on which nobody has decided, newest first. */
  findUndecided(accountId: number): Promise<Incident[]> {
    return this.incidents
      .createQueryBuilder('incident')
      .where(
        `account_id = :accountId AND decision IS NULL
        AND (closed_at IS NULL OR closed_at > now() - interval '24 hours')`,
        { accountId },
      )
      .orderBy('id', 'DESC')
      .limit(10)
      .getMany();
  }

  /** How many addresses bounced in each five minutes of the last three hours of an incident, oldest first. */
  bouncesOf({ accountId, textHash, group, activeAt }: Incident): Promise<Interval[]> {
    return FIND_INTERVALS.run(this.dataSource, [accountId, textHash, group, activeAt]);
  }

  /**
   * Records a decision. The list follows in the background.
   *
   * @throws {IncidentNotFoundError}
   * @throws {IncidentDecidedError}
   * @throws {NothingHeldError}
   */
  decide(context: RequestContext, id: string, decision: IncidentDecision): Promise<Incident> {
    const { accountId, actor } = context;
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const where = { accountId, id };
      const lock = { mode: 'for_no_key_update' } as const;
      const found = requireFound(await transaction.findOne(Incident, { where, lock }), IncidentNotFoundError);
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
