import { CursorDto } from '../../http/page.js';
import { createDtoPipe } from '../../http/routes/dto.pipe.js';
import type { Visitor } from '../people/sessions.service.js';

/** The fields of a form as the browser sends them: an array where a name occurs repeatedly. */
export type Fields = Readonly<Record<string, string | string[] | undefined>>;

const pipe = createDtoPipe();

/** The text of a field, or an empty string if the field is missing. */
export function textOf(fields: Fields | undefined, name: string): string {
  const value: unknown = [fields?.[name]].flat()[0];
  return typeof value === 'string' ? value.trim() : '';
}

export function textsOf(fields: Fields | undefined, name: string): string[] {
  const value = fields?.[name] ?? [];
  return typeof value === 'string' ? [value] : value;
}

/** What the person entered in the form of an action, before signing in again. */
export function keptFields({ kept }: Pick<Visitor, 'kept'>, action: string): Fields | undefined {
  return kept?.action === action ? kept.fields : undefined;
}

/**
 * Reads a form as the body of the API's operation that does the same. A field that was left empty is absent.
 *
 * @throws {ValidationError}
 */
export function readAs<Dto extends object>(
  dto: new () => Dto,
  fields: Record<string, unknown>,
): Promise<Dto> {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined),
  );
  return pipe.transform(given, { type: 'body', metatype: dto }) as Promise<Dto>;
}

/**
 * The page of a list that the URL names.
 *
 * @param rows - how many elements a page has
 * @throws {ValidationError}
 */
export function cursorIn(query: Fields | undefined, rows: number): Promise<CursorDto> {
  return readAs(CursorDto, {
    after: textOf(query, 'after'),
    before: textOf(query, 'before'),
    limit: String(rows),
  });
}
