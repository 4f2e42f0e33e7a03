import type { Page } from '../../../http/page.js';
import type { FoundLine } from '../../../lifts/lift-lines.repository.js';
import { titleOf } from '../../../lifts/lift.js';
import type { FoundLift } from '../../../lifts/lifts.repository.js';
import { Card, Timestamp } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { LinePager, Table, urlOf } from '../../components/list.js';
import { LINE_STATUS_NAMES, REASON_NAMES } from './lift-words.js';

interface LinesPageProps extends PageProps {
  lift: FoundLift;
  page: Page<FoundLine>;
  /** The number of the line before the page. */
  after?: number | undefined;
}

export function LinesPage({ visitor, lift, page, after }: LinesPageProps) {
  const path = `/console/lifts/${lift.id}`;
  return (
    <ConsolePage
      visitor={visitor}
      title={`Suppressions of the ${titleOf(lift).toLowerCase().replace('utc', 'UTC')}`}
      section="/console/lifts"
      actions={
        <a class="button" href={path}>
          Back to the lift
        </a>
      }
    >
      <Card>
        <LinesTable caption="Suppressions" lines={page.elements} />
        <LinePager
          path={`${path}/lines`}
          isLater={Boolean(after)}
          next={page.hasMore ? String(page.elements.at(-1)?.number) : undefined}
        />
      </Card>
    </ConsolePage>
  );
}

export function LinesTable({ caption, lines }: { caption: string; lines: FoundLine[] }) {
  return (
    <Table
      caption={caption}
      rows={lines}
      columns={{
        Address: ({ email }) => <a href={urlOf('/console', { q: email })}>{email}</a>,
        Recorded: ({ createdAt }) => <Timestamp at={createdAt} />,
        Status: ({ status, reason }) =>
          reason ? `${LINE_STATUS_NAMES[status]}: ${REASON_NAMES[reason]}` : LINE_STATUS_NAMES[status],
        'What the server said, or the note': ({ diagnostic }) => diagnostic ?? '–',
      }}
      empty="No lines. Those of a plan are deleted when it expires, those of a lift after 30 days."
    />
  );
}
