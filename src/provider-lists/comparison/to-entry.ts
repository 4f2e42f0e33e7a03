import { InvalidEmailAddress } from '../../email-address/email-address.js';
import { parseMailbox } from '../../email-address/mailbox.js';
import { parsePastPeriod, UTC_DATES } from '../../imports/dates.js';
import { getFormat, jsonRow } from '../../imports/formats/formats.js';
import { MAX_NOTE_LENGTH } from '../../ledger/evidence.js';
import { storableText } from '../../validation/parsers.js';
import type { ProviderListEntry } from '../plans/provider-list-line.entity.js';
import type { ListCapability } from '../providers/provider.js';

const MAX_ADDRESS_LENGTH = 320;

export type ListedEntry = Omit<ProviderListEntry, 'accountId' | 'planId' | 'isGone'>;

/** Reads an item of a provider's list in the same way as an import of the provider's file. */
export function toEntry(
  { list, format, address: field }: ListCapability,
  item: unknown,
  now: Date,
): ListedEntry {
  const row = jsonRow(item);
  const reading = getFormat(format).read(row, {
    isForTopic: false,
    defaultCause: 'manual',
    now,
    mapping: null,
  });
  const address = storableText(row.get(field), MAX_ADDRESS_LENGTH);
  const email = parseMailbox(address);
  const entry = { list, address, cause: null, listedAt: null, latestAt: null, note: null, problem: null };
  if (email instanceof InvalidEmailAddress) {
    return { ...entry, email: address, problem: 'invalid_email' };
  }
  if ('skip' in reading || 'error' in reading) {
    return { ...entry, email, problem: 'skip' in reading ? reading.skip : reading.error };
  }
  const period = parsePastPeriod(reading.createdAt, now, UTC_DATES);
  return {
    ...entry,
    email,
    cause: reading.cause,
    listedAt: period?.earliest ?? null,
    latestAt: period?.latest ?? null,
    note: reading.note === '' ? null : storableText(reading.note, MAX_NOTE_LENGTH),
  };
}
