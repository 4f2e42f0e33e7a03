import type { Api, Query } from './api.js';

const PAGE_SIZE = 100;

interface Page<Element> {
  has_more: boolean;
  cursor?: string | null;
  data: Element[];
}

interface ListRequest<Element> {
  query?: Query;
  limit: number;
  /** Returns where the next page begins. */
  cursorOf(page: Page<Element>): string | null | undefined;
}

/** Reads the pages of a list up to a limit. */
export async function readPages<Element>(
  api: Api,
  path: string,
  { query = {}, limit, cursorOf }: ListRequest<Element>,
): Promise<Element[]> {
  const found: Element[] = [];
  let after: string | undefined;
  for (;;) {
    const size = String(Math.min(PAGE_SIZE, limit - found.length));
    const page = await api.json<Page<Element>>('GET', path, { ...query, limit: size, after });
    found.push(...page.data);
    if (!page.has_more || found.length >= limit) {
      return found;
    }
    after = cursorOf(page) ?? undefined;
  }
}
