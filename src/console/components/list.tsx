import type { ComponentChildren } from 'preact';
import type { Page } from '../../http/page.js';
import { Card } from './content.js';
import { ConsolePage, type PageProps } from './console-page.js';

/** The cell of each column, by the name of the column. A column that is false is left out. */
export type Columns<Row> = Readonly<Record<string, false | ((row: Row, index: number) => ComponentChildren)>>;

export interface TableProps<Row> {
  /** Says what the rows are. */
  caption: string;
  columns: Columns<Row>;
  rows: readonly Row[];
  /** What to say, or to do, while there are no rows. */
  empty: ComponentChildren;
  /** The columns whose cells are numbers. */
  numbers?: readonly string[];
  /** Whether the table always keeps its columns, and scrolls. */
  isWide?: boolean;
}

/**
 * A table whose cells are below each other where they have little room, with the names of their columns. What is still too
 * wide scrolls on its own, so it can be focused (WCAG 2.2, 2.1.1). The first cell of a row names the row.
 */
export function Table<Row>(table: TableProps<Row>) {
  const { caption, rows, empty, numbers = [], isWide = false } = table;
  if (rows.length === 0) {
    return <p class="empty">{empty}</p>;
  }
  const columns = Object.entries(table.columns).flatMap(([name, cellOf]) =>
    cellOf ? [{ name, cellOf, class: numbers.includes(name) ? 'number' : undefined }] : [],
  );
  const canStack = !isWide && columns.length > 2;
  const [first, ...others] = columns;
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class={canStack ? (columns.length > 4 ? 'many' : 'few') : undefined}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.class}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <th scope="row">{first!.cellOf(row, index)}</th>
              {others.map((column) => (
                <td key={column.name} class={column.class} data-label={canStack ? column.name : undefined}>
                  {column.cellOf(row, index)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The id that a page begins after, or the one that it ends before. */
interface PageCursor {
  after?: string | undefined;
  before?: string | undefined;
}

type Query = Readonly<Record<string, string | undefined>>;

interface PagerProps {
  path: string;
  /** The other parameters of the query. */
  query?: Query;
  list: Page<{ id: string }> & { cursor: PageCursor };
  /** Whether the list can only be read toward its older elements. */
  isForwardOnly?: boolean;
}

/** Links to the pages before and after one of a list that is newest first. */
export function Pager({ path, query = {}, list, isForwardOnly = false }: PagerProps) {
  const { elements, hasMore, cursor } = list;
  const isBackwards = cursor.before !== undefined;
  const hasNewer = isBackwards ? hasMore : cursor.after !== undefined;
  const hasOlder = isBackwards || hasMore;
  const [first, last] = [elements[0]?.id, elements.at(-1)?.id];
  if ((!hasNewer && !hasOlder) || first === undefined || last === undefined) {
    return null;
  }
  return (
    <nav class="pager" aria-label="Pages">
      {hasNewer && isForwardOnly && <a href={path}>Newest</a>}
      {hasNewer && !isForwardOnly && <a href={urlOf(path, { ...query, before: first })}>← Newer</a>}
      {hasOlder && <a href={urlOf(path, { ...query, after: last })}>Older →</a>}
    </nav>
  );
}

interface LinePagerProps {
  path: string;
  query?: Query;
  /** Whether there are lines before the page. */
  isLater: boolean;
  /** Where the next page begins; undefined after the last one. */
  next: string | undefined;
}

/** Links to the first and the next page of a list that is read forward only. */
export function LinePager({ path, query = {}, isLater, next }: LinePagerProps) {
  return isLater || next !== undefined ? (
    <nav class="pager" aria-label="Pages">
      {isLater && <a href={urlOf(path, query)}>First</a>}
      {next !== undefined && <a href={urlOf(path, { ...query, after: next })}>Next →</a>}
    </nav>
  ) : null;
}

export function urlOf(path: string, query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/** A page of a list, and the position of the page in the list. */
export interface List<Row> extends Page<Row> {
  cursor: PageCursor;
}

interface ListCardProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  title?: string;
  id?: string;
  path: string;
  list: List<Row>;
  /** The other parameters of the list's query. */
  query?: Query;
  /** Whether the list can only be read toward its older elements. */
  isForwardOnly?: boolean;
  /** What stands above the table, and below it. */
  header?: ComponentChildren;
  footer?: ComponentChildren;
}

export function ListCard<Row extends { id: string }>(card: ListCardProps<Row>) {
  const { title, id, path, list, query = {}, isForwardOnly, header, footer, empty, ...table } = card;
  const isFirst = list.cursor.after === undefined && list.cursor.before === undefined;
  return (
    <Card title={title} id={id}>
      {header}
      <Table {...table} rows={list.elements} empty={isFirst ? empty : <Gone url={urlOf(path, query)} />} />
      <Pager path={path} list={list} query={query} isForwardOnly={isForwardOnly} />
      {footer}
    </Card>
  );
}

/** For a page whose elements have all been removed since its link was made. */
function Gone({ url }: { url: string }) {
  return (
    <>
      Nothing is left on this page. <a href={url}>Go to the first page</a>
    </>
  );
}

interface ListPageProps<Row> extends PageProps, Omit<ListCardProps<Row>, 'caption' | 'list'> {
  title: string;
  listTitle?: string;
  caption?: string;
  /** The path of the section in the navigation, unless it is the path of the list. */
  section?: string;
  /** What the list contains. */
  intro?: ComponentChildren;
  /** The text of a link to the form that creates an element, which has the id `create`. */
  createLabel?: string | false;
  /** Cards above the list. */
  above?: ComponentChildren;
  /** Undefined if the service refused the query. */
  list: List<Row> | undefined;
  /** Cards below the list. */
  children?: ComponentChildren;
}

export function ListPage<Row extends { id: string }>(page: ListPageProps<Row>) {
  const { visitor, title, listTitle, intro, createLabel, above, list, children, ...card } = page;
  const { caption = title, section = card.path } = card;
  const actions = createLabel && (
    <a class="button" href="#create">
      {createLabel}
    </a>
  );
  return (
    <ConsolePage visitor={visitor} title={title} section={section} actions={actions}>
      {intro && <p class="lede">{intro}</p>}
      {above}
      {list && <ListCard {...card} title={listTitle} caption={caption} list={list} />}
      {children}
    </ConsolePage>
  );
}
