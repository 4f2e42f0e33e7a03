import { domainsOfGroup } from '../../../email-address/receiving-group.js';
import { HELD_BEFORE_MS } from '../../../incidents/detect.js';
import type { Incident } from '../../../incidents/incident.entity.js';
import type { Interval } from '../../../incidents/incidents.service.js';
import { longestPhrase } from '../../../ledger/fingerprint.js';
import { ConfirmButton } from '../../components/form.js';
import { Timestamp } from '../../components/content.js';
import type { Visitor } from '../../people/sessions.service.js';
import { liftFormUrl } from '../lifts/lift-form.view.js';

/** An incident with its bounces of each five minutes. */
export interface ShownIncident {
  incident: Incident;
  intervals: Interval[];
}

/** Describes an incident, with the two buttons that decide it. */
export function IncidentCard({ visitor, incident, intervals }: ShownIncident & { visitor: Visitor }) {
  const { addresses, held, deliveredBefore, openedAt, closedAt } = incident;
  return (
    <section class="card incident">
      <h2>{closedAt ? 'An incident is over' : 'Many addresses are bouncing at once'}</h2>
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
      {held < addresses && visitor.isEditor && (
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
  if (!visitor.isAdmin) {
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

const BUCKET_MS = 5 * 60_000;
const HEIGHT = 120;
const WIDTH = 720;
const ABOVE = 24;
const BELOW = 28;
const LEFT = 24;
const MINUTE = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** A bar for each five minutes, up to the last one in which an address bounced. */
function BouncesChart({ intervals }: { intervals: Interval[] }) {
  if (intervals.length === 0) {
    return null;
  }
  const first = intervals[0]!.at.getTime();
  const last = intervals.at(-1)!.at.getTime();
  const byStart = new Map(intervals.map(({ at, addresses }) => [at.getTime(), addresses]));
  const starts = Array.from(
    { length: (last - first) / BUCKET_MS + 1 },
    (_, index) => first + index * BUCKET_MS,
  );
  const highest = Math.max(...byStart.values());
  const step = (WIDTH - LEFT) / Math.max(starts.length, 12);
  return (
    <figure>
      <svg
        class="chart"
        viewBox={`0 ${-ABOVE} ${WIDTH} ${ABOVE + HEIGHT + BELOW}`}
        role="img"
        aria-labelledby="bounces"
      >
        <title id="bounces">Addresses that bounced in each five minutes, at most {highest}</title>
        <text y={-6}>{highest.toLocaleString('en')}</text>
        <line class="highest" x2={WIDTH} />
        {starts.map((start, index) => {
          const addresses = byStart.get(start) ?? 0;
          const height = (addresses / highest) * HEIGHT;
          return (
            <g key={start} transform={`translate(${LEFT + index * step + step * 0.1} 0)`}>
              <title>{`${MINUTE.format(start)} UTC: ${addresses.toLocaleString('en')}`}</title>
              <rect class="hover" width={step * 0.8} height={HEIGHT} />
              <rect class="bounce" y={HEIGHT - height} width={step * 0.8} height={height} />
            </g>
          );
        })}
        <line x1={LEFT} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <text x={LEFT} y={HEIGHT + BELOW - 8}>
          {MINUTE.format(first)} UTC
        </text>
        {starts.length > 1 && (
          <text x={LEFT + starts.length * step} y={HEIGHT + BELOW - 8} text-anchor="end">
            {MINUTE.format(last + BUCKET_MS)}
          </text>
        )}
      </svg>
      <figcaption class="legend">Addresses that bounced in each five minutes</figcaption>
    </figure>
  );
}
