import { Get, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import type { IncidentDecision, IncidentStatus } from '../../../incidents/incident-states.js';
import { type Incident, statusOf } from '../../../incidents/incident.entity.js';
import { IncidentsService } from '../../../incidents/incidents.service.js';
import { IncidentId } from '../../../incidents/operations.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readList, submitChange, type Visit } from '../../access/visit.js';
import { ListPage } from '../../components/list.js';
import { Timestamp } from '../../components/content.js';
import { IncidentCard, liftUrl } from './incident-card.view.js';

const ROWS = 50;

const DONE: Record<IncidentDecision, string> = {
  lift: 'The held bounces are being lifted. It takes a few seconds.',
  keep: 'The held bounces are kept, like all other bounces.',
};

@ConsoleController('incidents', 'viewer')
export class IncidentsPageController {
  constructor(private readonly incidents: IncidentsService) {}

  @Get()
  async show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const { accountId } = visit;
    const list = await readList(visit, ROWS, (cursor) => this.incidents.list(accountId, cursor));
    const undecided = await this.incidents.findUndecided(accountId);
    const shown = await Promise.all(
      undecided.map(async (incident) => ({ incident, intervals: await this.incidents.bouncesOf(incident) })),
    );
    return (
      <ListPage
        visitor={visit}
        title="Incidents"
        path="/console/incidents"
        intro={
          <>
            Waves of bounces that look like a fault of the receiving provider. The{' '}
            <a href="/console/settings">settings</a> say whether their addresses are suppressed for a day
            only.
          </>
        }
        above={shown.map((one) => (
          <IncidentCard key={one.incident.id} visitor={visit} {...one} />
        ))}
        list={list}
        columns={{
          Opened: ({ openedAt }) => <Timestamp at={openedAt} />,
          Bounces: (incident) => (
            <>
              {incident.diagnostic ?? incident.group}
              {visit.isEditor && (
                <div>
                  <a href={liftUrl(incident)}>Find its bounces</a>
                </div>
              )}
            </>
          ),
          Addresses: ({ addresses }) => addresses.toLocaleString('en'),
          Held: ({ held }) => held.toLocaleString('en'),
          Status: (incident) => <StatusCell incident={incident} />,
        }}
        numbers={['Addresses', 'Held']}
        empty="No incidents yet."
      />
    );
  }

  @Post(':incident/lift')
  @RequireRole('admin')
  lift(@CurrentVisit() visit: Visit, @IncidentId id: string): Promise<HtmlResponse> {
    return this.decide(visit, id, 'lift');
  }

  @Post(':incident/keep')
  @RequireRole('admin')
  keep(@CurrentVisit() visit: Visit, @IncidentId id: string): Promise<HtmlResponse> {
    return this.decide(visit, id, 'keep');
  }

  private decide(visit: Visit, id: string, decision: IncidentDecision): Promise<HtmlResponse> {
    const decide = () => this.incidents.decide(visit.context, id, decision);
    const done = new Done('/console/incidents', DONE[decision]);
    return submitChange(visit, decide, done, (refused) => this.show(refused));
  }
}

const STATUS_NAMES: Readonly<Record<IncidentStatus, string>> = {
  open: 'Open',
  closed: 'Closed',
  decided: 'Decided',
};

function StatusCell({ incident }: { incident: Incident }) {
  const { decision, actorName, closedAt } = incident;
  return (
    <>
      {STATUS_NAMES[statusOf(incident)]}
      {decision && `: ${decision}, by ${actorName}`}
      {closedAt && (
        <div class="muted">
          Over since <Timestamp at={closedAt} />
        </div>
      )}
    </>
  );
}
