import type { ComponentChildren } from 'preact';
import type { Page } from '../../http/page.js';
import { Card } from './card.js';
import { ConsolePage, type PageProps } from './console-page.js';
import { type PageCursor, type Query, Pager } from './pager.js';
import { type TableProps, Table } from './table.js';

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
  /** Whether the list can only be read towards its older elements. */
  isForwardOnly?: boolean;
  /** What stands above the table, and below it. */
  header?: ComponentChildren;
  footer?: ComponentChildren;
}

export function ListCard<Row extends { id: string }>(card: ListCardProps<Row>) {
  const { title, id, path, list, query, isForwardOnly, header, footer, ...table } = card;
  return (
    <Card title={title} id={id}>
      {header}
      <Table {...table} rows={list.elements} />
      <Pager path={path} list={list} query={query} isForwardOnly={isForwardOnly} />
      {footer}
    </Card>
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
