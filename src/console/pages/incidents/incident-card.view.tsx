import { domainsOfGroup } from '../../../email-address/receiving-group.js';
import { HELD_BEFORE_MS } from '../../../incidents/detection/detect.js';
import type { Incident } from '../../../incidents/incident.entity.js';
import type { Interval } from '../../../incidents/incidents.repository.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit, includesRole } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import { longestPhrase } from '../../../ledger/fingerprint.js';
import { liftFormUrl } from '../lifts/lift-link.js';
import { BouncesChart } from './bounces-chart.view.js';

/** An incident with its bounces of each five minutes. */
export interface ShownIncident {
  incident: Incident;
  intervals: Interval[];
}

/** What happens in an incident, and the two buttons that decide it. */
export function IncidentCard({ visitor, incident, intervals }: ShownIncident & { visitor: Visitor }) {
  const { addresses, held, deliveredBefore, openedAt, closedAt } = incident;
  return (
    <section class="card incident">
      <h2>{closedAt ? 'An incident is over' : 'Many addresses bounce at once'}</h2>
      <p>
        <Subject incident={incident} />
      </p>
      <dl class="figures">
        <Figure name="Addresses" value={addresses} />
        <Figure name="Received mail in the 30 days before" value={deliveredBefore} />
        <Figure name="Held" value={held} />
      </dl>
      <BouncesChart intervals={intervals} />
      <p class="muted">
        Since <Timestamp at={openedAt} />
        {closedAt && (
          <>
            , over since <Timestamp at={closedAt} />
          </>
        )}
        .
      </p>
      {held > 0 ? <Decision visitor={visitor} incident={incident} /> : <p>{whyNothingIsHeld(incident)}</p>}
      {held < addresses && canEdit(visitor) && (
        <p>
          <a href={liftUrl(incident)}>Find the bounces that are not held</a>, to lift them once the outage is
          over.
        </p>
      )}
    </section>
  );
}

function Subject({ incident: { diagnostic, group } }: { incident: Incident }) {
  return diagnostic === null ? (
    <>
      At <strong>{group}</strong> and its sibling domains, with several answers.
    </>
  ) : (
    <>
      The servers answer: <strong>“{diagnostic}”</strong>
    </>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value.toLocaleString('en')}</dd>
    </div>
  );
}

function Decision({ visitor, incident }: { visitor: Visitor; incident: Incident }) {
  const { id, held, closedAt } = incident;
  const count = held.toLocaleString('en');
  if (!includesRole(visitor.role, 'admin')) {
    return <p>Held bounces expire after a day. An admin can decide earlier.</p>;
  }
  return (
    <div class="actions">
      <ConfirmButton
        action={`/console/incidents/${id}/lift`}
        label="The addresses work"
        confirm={`Lift the held bounces (${count})`}
        tone="plain"
      >
        The addresses can be mailed again within seconds. Complaints, unsubscribes, and manual entries stay.
        {!closedAt &&
          ' The incident is still open, so wait until it is over, or you will send mail during the outage.'}
      </ConfirmButton>
      <ConfirmButton
        action={`/console/incidents/${id}/keep`}
        label="The addresses are dead"
        confirm={`Keep the held bounces (${count})`}
      >
        The addresses stay suppressed, like all others that bounce. Otherwise, they can be mailed again a day
        after they bounced.
      </ConfirmButton>
    </div>
  );
}

/** The form of a lift by query, filled in. It begins as long before the incident as bounces are held. */
export function liftUrl({ diagnostic, group, openedAt, closedAt }: Incident): string {
  return liftFormUrl({
    cause: 'bounce',
    created_after: new Date(openedAt.getTime() - HELD_BEFORE_MS).toISOString(),
    ...(closedAt && { created_before: closedAt.toISOString() }),
    ...(diagnostic === null
      ? { domains: domainsOfGroup(group!).join(', ') }
      : { diagnostic: longestPhrase(diagnostic) }),
  });
}

function whyNothingIsHeld({ isConvincing }: Incident): string {
  return isConvincing
    ? 'The bounces suppress their addresses as usual. To suppress them for a day only, set “In an incident” to “Hold” in the settings: it also holds the bounces of the hour before.'
    : 'Nothing is held, because it is not known whether the addresses received mail before: it may be an old list, or an outage.';
}
