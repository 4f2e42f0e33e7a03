import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { ListedEvent } from '../../../inbound/events.service.js';
import { happenedAt } from '../../../ledger/happened-at.js';
import { Pager, urlOf, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { TwoTimestamps } from '../../components/timestamp.js';
import { KIND_NAMES, OUTCOME_NAMES } from '../../components/words.js';

interface EventsProps {
  events: Page<ListedEvent>;
  cursor: PageCursor;
  path: string;
}

export function Events({ events, cursor, path }: EventsProps): JSX.Element {
  return (
    <section class="card">
      <h2>Events</h2>
      <Table
        caption="Events, newest first"
        columns={['Address', 'Event', 'Why', 'Outcome', 'Received']}
        rows={events.elements.map(({ event }) => ({
          key: event.id,
          cells: [
            event.recipient ? <a href={urlOf('/console', { q: event.recipient })}>{event.recipient}</a> : '–',
            KIND_NAMES[event.kind],
            event.reason,
            OUTCOME_NAMES[event.outcome],
            <TwoTimestamps
              key="at"
              isCell
              at={event.receivedAt}
              other={happenedAt(event.occurredAt, event.receivedAt)}
              verb="happened"
            />,
          ],
        }))}
        empty="Nothing has arrived yet."
      />
      <Pager
        path={path}
        cursor={cursor}
        page={{ ...events, elements: events.elements.map(({ event }) => event) }}
      />
    </section>
  );
}
