import type { FoundLift } from '../../../lifts/lifts.repository.js';
import { Card } from '../../components/card.js';
import { Table } from '../../components/table.js';

const SHOWN_GROUPS = 10;
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** The largest groups of a lift. */
export function LiftGroups({ lift: { largest, progress } }: { lift: FoundLift }) {
  if (!largest || largest.domains.length === 0) {
    return null;
  }
  const { domains, diagnostics } = largest;
  const { lines } = progress.count;
  return (
    <Card title="What the servers said, or the note">
      <Groups
        caption="Diagnostics"
        column="Text, without addresses and numbers"
        lines={lines}
        groups={diagnostics.map(({ diagnostic, count }) => [diagnostic ?? '(nothing)', count])}
      />
      <h2>Domains</h2>
      <Groups
        caption="Domains"
        column="Domain"
        lines={lines}
        groups={domains.map(({ domain, count }) => [domain, count])}
      />
    </Card>
  );
}

interface GroupsProps {
  caption: string;
  column: string;
  /** Of the lift. */
  lines: number;
  groups: [key: string, count: number][];
}

function Groups({ caption, column, lines, groups }: GroupsProps) {
  const rest = groups.length - SHOWN_GROUPS;
  return (
    <>
      <Table
        caption={caption}
        rows={groups.slice(0, SHOWN_GROUPS)}
        columns={{
          [column]: ([key]) => key,
          Suppressions: ([, count]) => count.toLocaleString('en'),
          Share: ([, count]) => PERCENT.format(count / lines),
        }}
        numbers={['Suppressions', 'Share']}
        empty=""
      />
      {rest > 0 && <p class="muted">And {rest === 90 ? 'at least 90' : rest} more.</p>}
    </>
  );
}
