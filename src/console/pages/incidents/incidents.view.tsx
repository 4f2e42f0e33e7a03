import { statusOf, type Incident } from '../../../incidents/incident.entity.js';
import type { IncidentStatus } from '../../../incidents/incident-states.js';
import type { PageProps } from '../../components/console-page.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { IncidentCard, liftUrl, type ShownIncident } from './incident-card.view.js';

interface IncidentsPageProps extends PageProps {
  /** The undecided incidents. */
  shown: ShownIncident[];
  list: List<Incident>;
}

const STATUS_NAMES: Readonly<Record<IncidentStatus, string>> = {
  open: 'Open',
  closed: 'Closed',
  decided: 'Decided',
};

export function IncidentsPage({ visitor, shown, list }: IncidentsPageProps) {
  return (
    <ListPage
      visitor={visitor}
      title="Incidents"
      path="/console/incidents"
      intro={
        <>
          Waves of bounces that look like the fault of a receiving provider. The{' '}
          <a href="/console/settings">settings</a> say whether their addresses are suppressed for a day only.
        </>
      }
      above={shown.map((one) => (
        <IncidentCard key={one.incident.id} visitor={visitor} {...one} />
      ))}
      list={list}
      columns={{
        Opened: ({ openedAt }) => <Timestamp at={openedAt} />,
        Bounces: (incident) => (
          <>
            {incident.diagnostic ?? incident.group}
            {canEdit(visitor) && (
              <div>
                <a href={liftUrl(incident)}>Find the bounces that are not held</a>
              </div>
            )}
          </>
        ),
        Addresses: ({ addresses }) => addresses.toLocaleString('en'),
        Held: ({ held }) => held.toLocaleString('en'),
        Status: (incident) => <StatusCell incident={incident} />,
      }}
      numbers={['Addresses', 'Held']}
      empty="There was no incident."
    />
  );
}

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
