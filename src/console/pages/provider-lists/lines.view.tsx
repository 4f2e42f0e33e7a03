import type { Page } from '../../../http/page.js';
import { LineDto } from '../../../provider-lists/dto/line.dto.js';
import { LINE_KINDS, type LineKind } from '../../../provider-lists/plans/line-kinds.js';
import { writeLineCursor, type FoundLine } from '../../../provider-lists/plans/lines.repository.js';
import type { ProviderListPlan } from '../../../provider-lists/plans/provider-list-plan.entity.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { Card } from '../../components/card.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { FilterForm } from '../../components/form.js';
import { Select } from '../../components/inputs.js';
import { urlOf } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { dayAndMinuteOf, Timestamp } from '../../components/timestamp.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { KIND_NAMES } from './provider-list-words.js';

interface LinesPageProps extends PageProps {
  list: ProviderList;
  plan: ProviderListPlan;
  page: Page<FoundLine>;
  kind: LineKind | undefined;
  /** Whether there are lines before the page. */
  isLater: boolean;
}

export function LinesPage({ visitor, list, plan, page, kind, isLater }: LinesPageProps) {
  const listPath = `/console/provider-lists/${list.id}`;
  const path = `${listPath}/plans/${plan.id}`;
  const last = page.elements.at(-1);
  const countOf = (of: LineKind) => (plan.counts[of] ?? 0).toLocaleString('en');
  return (
    <ConsolePage
      visitor={visitor}
      title={`${list.name}: plan of ${dayAndMinuteOf(plan.createdAt)}`}
      section="/console/provider-lists"
      actions={
        <a class="button" href={listPath}>
          Back to the list
        </a>
      }
    >
      <FilterForm action={path} values={{ kind }}>
        <Select
          name="kind"
          label="Addresses"
          none="All"
          choices={Object.fromEntries(LINE_KINDS.map((of) => [of, `${KIND_NAMES[of]} (${countOf(of)})`]))}
        />
      </FilterForm>
      <Card>
        <LinesTable caption="Lines" lines={page.elements} isOneKind={kind !== undefined} />
        {(isLater || page.hasMore) && (
          <nav class="pager" aria-label="Pages">
            {isLater && <a href={urlOf(path, { kind })}>First</a>}
            {page.hasMore && last && <a href={urlOf(path, { kind, after: writeLineCursor(last) })}>Next →</a>}
          </nav>
        )}
      </Card>
    </ConsolePage>
  );
}

interface LinesTableProps {
  caption: string;
  lines: FoundLine[];
  /** Whether all lines are of the same kind. */
  isOneKind?: boolean;
}

export function LinesTable({ caption, lines, isOneKind = false }: LinesTableProps) {
  return (
    <Table
      caption={caption}
      rows={lines}
      columns={{
        Address: ({ email, address }) => <a href={urlOf('/console', { q: email })}>{address || email}</a>,
        Kind: !isOneKind && (({ kind }) => KIND_NAMES[kind]),
        Cause: ({ cause }) => (cause ? CAUSE_NAMES[cause] : '–'),
        Listed: ({ listedAt }) => (listedAt ? <Timestamp at={listedAt} /> : '–'),
        Note: (line) => noteOf(new LineDto(line)),
      }}
      empty="No lines. They are deleted when a plan expires, and a week after it was applied."
    />
  );
}

function noteOf({ list, reason }: LineDto): string {
  return [list && `List ${list}.`, reason].filter(Boolean).join(' ') || '–';
}
