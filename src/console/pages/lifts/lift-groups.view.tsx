import type { JSX } from 'preact';
import type { FoundLift } from '../../../lifts/lifts.repository.js';
import { Table } from '../../components/table.js';

const SHOWN_GROUPS = 10;
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** The largest groups of a lift. */
export function LiftGroups({ lift: { largest, progress } }: { lift: FoundLift }): JSX.Element | null {
  if (!largest || largest.domains.length === 0) {
    return null;
  }
  const { domains, diagnostics } = largest;
  const { lines } = progress.count;
  return (
    <section class="card">
      <h2>What the servers said, or the note</h2>
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
    </section>
  );
}

interface GroupsProps {
  caption: string;
  column: string;
  /** Of the lift. */
  lines: number;
  groups: [key: string, count: number][];
}

function Groups({ caption, column, lines, groups }: GroupsProps): JSX.Element {
  const rest = groups.length - SHOWN_GROUPS;
  return (
    <>
      <Table
        caption={caption}
        columns={[column, 'Suppressions', 'Share']}
        numbers={['Suppressions', 'Share']}
        rows={groups.slice(0, SHOWN_GROUPS).map(([key, count]) => ({
          key,
          cells: [key, count.toLocaleString('en'), PERCENT.format(count / lines)],
        }))}
        empty=""
      />
      {rest > 0 && <p class="muted">And {rest === 90 ? 'at least 90' : rest} more.</p>}
    </>
  );
}
