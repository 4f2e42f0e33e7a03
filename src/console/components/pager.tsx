import type { Page } from '../../http/page.js';

/** The id that a page begins after, or the one that it ends before. */
export interface PageCursor {
  after?: string | undefined;
  before?: string | undefined;
}

export type Query = Readonly<Record<string, string | undefined>>;

interface PagerProps {
  path: string;
  /** The other parameters of the query. */
  query?: Query;
  list: Page<{ id: string }> & { cursor: PageCursor };
  /** Whether the list can only be read towards its older elements. */
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
