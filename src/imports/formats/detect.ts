import { isMailbox } from '../../email-address/mailbox.js';
import { delimiterOf, firstFields, foldName, headerProblem, problemWithLines } from '../../files/csv-text.js';
import { JsonItems, type JsonShape } from '../../files/json-items.js';
import { UnreadableUploadError } from '../../http/errors/body-errors.js';
import { AmbiguousFileError, RefusedFileError, UnknownFileError } from '../errors.js';
import { isEmailColumn, mappingOf, shorten } from './csv.js';
import { fits, type Format, type Hints, type NameKind } from './format.js';
import { findRefusal, getFormat, matchingFormats, type Layout } from './formats.js';

const LISTS = [
  'SuppressedDestinationSummaries',
  'Suppressions',
  'items',
  'results',
  'contacts',
  'Data',
  'data',
];
const SES_REASON = /^\s*(?:BOUNCE|COMPLAINT)\s*$/i;
const HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i;

/**
 * Decides how to read a file. It never guesses: a file that can be read in two ways is refused.
 *
 * @param head - the beginning of the file, or all of it
 * @throws {UnknownFileError | AmbiguousFileError | RefusedFileError | UnreadableUploadError}
 */
export function detect(head: string, hints: Hints): Layout {
  const first = head.trimStart()[0];
  if (first === undefined) {
    throw new UnknownFileError(
      'The file is empty.',
      'Send the list as the body of the request, for example with curl --data-binary @bounces.csv.',
      'file',
    );
  }
  return first === '{' || first === '[' ? detectJson(head, first, hints) : detectCsv(head, hints);
}

function detectJson(head: string, first: string, hints: Hints): Layout {
  const json = first === '[' ? 'array' : shapeOfObjects(head, hints);
  const values = new JsonItems(json).read(head).map(({ value }) => value);
  if (values.length === 0) {
    throw new UnknownFileError(
      'The file looks like JSON, but its beginning has no complete entry of a list. If the list is empty, there is nothing to ' +
        'import. Otherwise, send the JSON as the provider returned it, an array of objects, or one object per line.',
      null,
    );
  }
  const plan = (format: Format, names: string[]): Layout => ({
    format: format.name,
    mapping: format.name === 'csv' ? mappingOf(names, hints, 'keys') : null,
    shape: { json },
  });
  if (typeof values[0] === 'string') {
    return plan(formatOfAddresses(hints), []);
  }
  const names = keysOf(values);
  return plan(detectFormat(names, hints, 'keys'), names);
}

/**
 * The keys of all entries, since the first one may lack some. Two spellings of a key are both listed only if one entry has both.
 */
function keysOf(entries: unknown[]): string[] {
  const keys: string[] = [];
  const names = new Set<string>();
  for (const entry of entries.filter((value) => typeof value === 'object' && !Array.isArray(value))) {
    const added = Object.keys(entry ?? {}).filter((key) => !names.has(foldName(key)));
    keys.push(...added);
    added.forEach((key) => names.add(foldName(key)));
  }
  return keys;
}

function formatOfAddresses({ format, mapping }: Hints): Format {
  const choices = ['sendgrid-group-unsubscribes', 'plain'];
  if (mapping) {
    throw UnknownFileError.ofHint('mapping', `names ${mapping.email}, but the entries have no keys`);
  }
  if (format === undefined) {
    throw new AmbiguousFileError(choices);
  }
  if (!choices.includes(format)) {
    throw UnknownFileError.ofHint('format', `is ${format}, but the entries have no keys`);
  }
  return getFormat(format);
}

/** An object is either an entry, which may contain a list, or the wrapper of a list of entries. */
function shapeOfObjects(head: string, { mapping }: Hints): JsonShape {
  const [first] = new JsonItems('lines').read(head);
  const object = first?.value as Record<string, unknown> | undefined;
  if (object && isEntry(object, mapping?.email)) {
    return 'lines';
  }
  const list = LISTS.find((name) =>
    object ? Array.isArray(object[name]) : new JsonItems({ list: name }).read(head).length > 0,
  );
  return list ? { list } : 'lines';
}

function isEntry(object: Record<string, unknown>, emailKey: string | undefined): boolean {
  const names = Object.keys(object);
  return (
    (emailKey !== undefined && names.includes(emailKey)) ||
    matchingFormats({ kind: 'keys', names: new Set(names.map(foldName)) }).length > 0 ||
    Object.values(object).some((value) => typeof value === 'string' && value.includes('@'))
  );
}

function detectCsv(head: string, hints: Hints): Layout {
  const problemOfLines = problemWithLines(head);
  if (problemOfLines !== null) {
    throw new UnreadableUploadError(problemOfLines);
  }
  const text = head.replace(/^\s*\n/, '');
  const [firstLine = ''] = text.split('\n', 1);
  const delimiter = delimiterOf(text, hints.mapping && [foldName(hints.mapping.email)]);
  const row = isMailbox(firstLine) && !hints.mapping ? [firstLine] : firstFields(head, delimiter);
  const fields = row.map((field) => field.trim());
  const problem = headerProblem(fields);
  if (problem !== null) {
    throw new UnreadableUploadError(problem);
  }
  return planWithoutHeader(fields, delimiter, hints) ?? planWithHeader(fields, delimiter, hints);
}

/** SES has no header in its import files, and neither have lists of addresses alone. */
function planWithoutHeader(fields: string[], delimiter: string, { format, mapping }: Hints): Layout | null {
  if (mapping) {
    return null;
  }
  const [first = '', second = ''] = fields;
  const isSes = fields.length === 2 && SES_REASON.test(second);
  if (isSes && (format === undefined || format === 'ses-import')) {
    const columns = ['emailaddress', 'reason'];
    return { format: 'ses-import', mapping: null, shape: { delimiter, hasHeader: false, columns } };
  }
  if (fields.length === 1 && HASH.test(first)) {
    throw new RefusedFileError(
      'This file has hashes: an address cannot be found from its hash. Import the addresses themselves.',
    );
  }
  const isPlain = fields.length === 1 && first.includes('@');
  if ((isPlain && format === undefined) || format === 'plain') {
    const hasHeader = isEmailColumn(first);
    return { format: 'plain', mapping: null, shape: { delimiter: '\n', hasHeader, columns: ['email'] } };
  }
  return null;
}

function planWithHeader(header: string[], delimiter: string, hints: Hints): Layout {
  if (header.some((name) => name.includes('@'))) {
    throw new UnknownFileError(
      'The first line has addresses. Add a header that names the columns, such as email,cause,created_at.',
      null,
    );
  }
  const format = detectFormat(header, hints, 'columns');
  return {
    format: format.name,
    mapping: format.name === 'csv' ? mappingOf(header, hints, 'columns') : null,
    shape: { delimiter, hasHeader: true, columns: header.map(foldName) },
  };
}

/** Columns without a name do not count: spreadsheets save empty ones at the end, and some programs number the rows. */
function detectFormat(header: string[], { format, mapping, filename }: Hints, kind: NameKind): Format {
  const names = new Set(header.map(foldName).filter((name) => name !== ''));
  const file = { kind, names };
  if (mapping || format === 'csv') {
    return getFormat('csv');
  }
  const refusal = findRefusal(file);
  if (refusal) {
    throw new RefusedFileError(refusal.reason);
  }
  if (format !== undefined) {
    const named = getFormat(format);
    if (!named.columns.some((columns) => fits(columns, file))) {
      throw UnknownFileError.ofHint('format', `is ${format}, but the ${kind} are: ${shorten(header)}`);
    }
    return named;
  }
  const found = matchingFormats(file);
  const chosen = found.length > 1 && filename ? found.filter((item) => item.filename?.test(filename)) : found;
  if (found.length > 1 && chosen.length !== 1) {
    throw new AmbiguousFileError(found.map(({ name }) => name));
  }
  if (!chosen[0]) {
    throw header.length === 0
      ? new UnknownFileError(`The first entry has no ${kind}.`)
      : UnknownFileError.noFormat(kind, shorten(header), header.some(isEmailColumn));
  }
  return chosen[0];
}
