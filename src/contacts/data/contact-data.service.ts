import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import type { RequestContext } from '../../audit/request-context.js';
import { requireTime } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { QuotedAddress } from '../../email-address/quoted-address.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import { contactIdOf, type ContactRef } from '../../topics/contact.js';
import { PreferencesService } from '../../topics/preferences.service.js';
import type { Place } from './place.js';
import { PlaceReader, textOf, type FoundRow, type Row } from './place-reader.js';
import { PLACES } from './places.js';

/** Sent for each chunk in which nothing was found, so that the connection does not look idle. */
const WHITE_SPACE = '\n';
const OTHER_ADDRESS = '[another address]';

@Injectable()
export class ContactDataService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly preferences: PreferencesService,
    private readonly places: PlaceReader,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Writes everything that the account has about an address, as JSON in pieces. Of a row about another address that only quotes
   * it, the output has the texts and those key columns that hold no address. Other addresses in texts are replaced.
   *
   * @throws {ContactNotFoundError} if no contact has the id; an address needs none
   * @throws {DeadlineExceededError}
   */
  async write(context: RequestContext, contact: ContactRef): Promise<AsyncGenerator<string>> {
    return this.pieces(context, await this.preferences.emailOf(context.accountId, contact));
  }

  private async *pieces(context: RequestContext, email: EmailAddress): AsyncGenerator<string> {
    const { accountId, deadline } = context;
    const subject = { id: null, name: 'contact' };
    await recordAudit(this.dataSource.manager, context, 'contact.data_read', subject);
    const stored = await this.storedNames.oneForReading(accountId, email);
    const names = await this.storedNames.namesOf(accountId, email);
    const quoted = new QuotedAddress(email, ...names.slice(1));
    const [generatedAt, contactId] = [new Date().toISOString(), contactIdOf(accountId, stored)];
    const head = { object: 'contact_data', email, contact_id: contactId, generated_at: generatedAt };
    yield `${JSON.stringify(head).slice(0, -1)},"tables":[`;
    for (const [index, place] of PLACES.entries()) {
      const { table, origin, kept } = place;
      yield `${index > 0 ? ',' : ''}${JSON.stringify({ table, origin, kept }).slice(0, -1)},"data":[`;
      let separator = '';
      for await (const found of this.places.read(accountId, names, quoted, place)) {
        requireTime(deadline);
        if (found.length > 0) {
          yield separator + found.map((row) => JSON.stringify(toElement(row, place, quoted))).join(',');
          separator = ',';
        } else {
          yield WHITE_SPACE;
        }
      }
      yield ']}';
    }
    yield ']}\n';
  }
}

function toElement({ row, isOwn }: FoundRow, place: Place, quoted: QuotedAddress): object {
  const { key, address, texts = [], others = [] } = place;
  if (isOwn) {
    const redacted = [...texts, ...others].filter((column) => row[column] !== undefined);
    const changed = redacted.map((column) => [column, withoutOthers(row[column], quoted)] as const);
    return { is_quote: false, row: { ...row, ...Object.fromEntries(changed) } };
  }
  const parts: Row = {};
  for (const column of Object.keys(key).filter((name) => name !== address && !texts.includes(name))) {
    parts[column] = row[column];
  }
  for (const column of texts.filter((name) => row[name] !== undefined && quoted.isIn(textOf(row[name])))) {
    parts[column] = withoutOthers(textOf(row[column]), quoted);
  }
  return { is_quote: true, row: parts };
}

/** A text, or all texts in a JSON value, without the addresses of others. */
function withoutOthers(value: unknown, quoted: QuotedAddress): unknown {
  if (typeof value === 'string') {
    return quoted.replaceOthersIn(value, OTHER_ADDRESS);
  }
  if (Array.isArray(value)) {
    return value.map((element) => withoutOthers(element, quoted));
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, part]) => [name, withoutOthers(part, quoted)] as const);
    return Object.fromEntries(entries);
  }
  return value;
}
