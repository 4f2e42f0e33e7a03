import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import { statusOf, type Incident } from '../../../incidents/incident.entity.js';
import { type IncidentStatus } from '../../../incidents/incident-states.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { IncidentCard, liftUrl, type ShownIncident } from './incident-card.view.js';

interface IncidentsPageProps extends PageProps {
  /** Those that nobody has decided. */
  shown: ShownIncident[];
  page: Page<Incident>;
  cursor: PageCursor;
}

const STATUS_NAMES: Readonly<Record<IncidentStatus, string>> = {
  open: 'Open',
  closed: 'Closed',
  decided: 'Decided',
};

export function IncidentsPage({ shown, page, cursor, ...props }: IncidentsPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Incidents" section="/console/incidents">
      <p class="lede">
        Waves of bounces that look like the fault of a receiving provider. The{' '}
        <a href="/console/settings">settings</a> say whether their addresses are suppressed for a day only.
      </p>
      {shown.map((one) => (
        <IncidentCard key={one.incident.id} visitor={props.visitor} {...one} />
      ))}
      <section class="card">
        <Table
          caption="Incidents"
          columns={['Opened', 'Bounces', 'Addresses', 'Held', 'Status']}
          numbers={['Addresses', 'Held']}
          rows={page.elements.map((incident) => ({
            key: incident.id,
            cells: [
              <Timestamp key="at" at={incident.openedAt} />,
              <>
                {incident.diagnostic ?? incident.group}
                {canEdit(props.visitor) && (
                  <div>
                    <a href={liftUrl(incident)}>Find the bounces that are not held</a>
                  </div>
                )}
              </>,
              incident.addresses.toLocaleString('en'),
              incident.held.toLocaleString('en'),
              <StatusCell key="status" incident={incident} />,
            ],
          }))}
          empty="There was no incident."
        />
        <Pager path="/console/incidents" cursor={cursor} page={page} />
      </section>
    </ConsolePage>
  );
}

function StatusCell({ incident }: { incident: Incident }): JSX.Element {
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
