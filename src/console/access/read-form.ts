import { CursorDto, type Page } from '../../http/page.js';
import { createDtoPipe } from '../../http/routes/dto.pipe.js';
import { textOf } from '../components/fields.js';
import type { List } from '../components/list-page.js';
import type { Visit } from './visit.js';

const pipe = createDtoPipe();

/**
 * Reads a form as the body of the API's operation that does the same. A field that was left empty is absent.
 *
 * @throws {ValidationError}
 */
export function readAs<Dto extends object>(
  dto: new () => Dto,
  fields: Readonly<Record<string, unknown>>,
): Promise<Dto> {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined),
  );
  return pipe.transform(given, { type: 'body', metatype: dto }) as Promise<Dto>;
}

/**
 * Reads the page of a list that the URL names.
 *
 * @param limit - how many elements the page has
 * @throws {ValidationError}
 */
export async function readList<Row>(
  { query }: Visit,
  limit: number,
  read: (cursor: CursorDto) => Promise<Page<Row>>,
): Promise<List<Row>> {
  const cursor = await readAs(CursorDto, { ...cursorIn(query), limit: String(limit) });
  return { ...(await read(cursor)), cursor };
}

/** The parameters of a URL that name a page of a list. */
export function cursorIn(query: Visit['query']): { after: string; before: string } {
  return { after: textOf(query, 'after'), before: textOf(query, 'before') };
}
