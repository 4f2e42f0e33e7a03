import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Identity, RequestContext } from '../../audit/request-context.js';
import { transactionBefore, type WriteContext } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, maskOf } from '../../ledger/cause.js';
import { emailsOf, renameRows, StoredNames } from '../../pseudonyms/stored-names.js';
import { ExpirySweep } from '../expiry-sweep.js';
import type { NamedSuppression } from '../suppression.entity.js';
import {
  AdditionsRepository,
  type Addition,
  type ChangedSuppression,
  type Coverage,
  type PresentSuppression,
} from './additions.repository.js';
import { RepeatedUnsubscribesRepository } from './repeated-unsubscribes.repository.js';

/** The reason and the expiry of a manual entry. */
export type ManualEntry = Pick<Addition, 'note' | 'expiresAt'>;

/** An unsubscribe from everything, and the email that it came from, if any. */
export type Unsubscribe = Pick<Addition, 'email' | 'emailId'> & Partial<Pick<Addition, 'note'>>;

/** The record of an address after {@link AdditionsService.suppress}. */
export interface SuppressResult {
  id: string;
  /** Null if the record was not changed. */
  action: ChangedSuppression['action'] | null;
}

interface SuppressOptions {
  listed?: PresentSuppression[] | undefined;
  alsoLock?: ReadonlySet<EmailAddress>;
}

@Injectable()
export class AdditionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly additions: AdditionsRepository,
    private readonly repeats: RepeatedUnsubscribesRepository,
    private readonly expiry: ExpirySweep,
    private readonly storedNames: StoredNames,
  ) {}

  async add(context: RequestContext, email: EmailAddress, entry: ManualEntry): Promise<SuppressResult> {
    return (await this.suppress(context, [manualAddition(email, entry)], context)).get(email)!;
  }

  /**
   * Suppresses addresses by hand.
   *
   * @returns their records, in the order of the addresses
   */
  async batchAdd(
    context: RequestContext,
    emails: EmailAddress[],
    entry: ManualEntry,
  ): Promise<SuppressResult[]> {
    const additions = [...new Set(emails)].map((email) => manualAddition(email, entry));
    const suppressed = await this.suppress(context, additions, context);
    return emails.map((email) => suppressed.get(email)!);
  }

  /**
   * Unsubscribes an address for its recipient. If a source has reported the unsubscribe, the ledger also gets this one, so that a
   * resubscribe at the source does not end it.
   *
   * @returns whether the ledger has a new line
   */
  async unsubscribe(
    identity: Identity,
    { email, emailId, note = null }: Unsubscribe,
    context: WriteContext,
  ): Promise<boolean> {
    const unknown = { occurredAt: null, eventId: null, expiresAt: null };
    const named: Addition = { ...unknown, email, emailId, note, cause: 'unsubscribe' };
    const pseudonyms = await this.storedNames.forWriting(identity.accountId, [email]);
    const [addition] = renameRows([named], pseudonyms) as [Addition];
    for (;;) {
      const { id, action } = (await this.suppress(identity, [addition], context)).get(addition.email)!;
      if (action !== null) {
        return true;
      }
      const { isPresent, isRecorded } = await this.repeats.record(identity, { ...addition, id }, context);
      if (isPresent) {
        return isRecorded;
      }
    }
  }

  /**
   * Suppresses addresses: adds records, adds causes to records, and extends causes that would expire earlier. It never removes
   * or weakens anything, so it can be repeated. Every writer that adds to the list calls it, except sources, which reserve
   * addresses before they decide.
   *
   * @param additions - at most one for each address
   * @param options.listed - the result of {@link findPresent} for the additions, if the caller has just read it
   * @param options.alsoLock - the addresses that the transaction changes again later. One statement locks all records, in the
   *   order of the addresses
   * @returns the record of each address
   */
  async suppress(
    identity: Identity,
    additions: Addition[],
    context: WriteContext,
    options: SuppressOptions = {},
  ): Promise<Map<EmailAddress, SuppressResult>> {
    const pseudonyms = await this.storedNames.forWriting(identity.accountId, emailsOf(additions));
    const alsoLock = new Set([...(options.alsoLock ?? [])].map((email) => pseudonyms.get(email) ?? email));
    const suppressed = await this.suppressStored(identity, renameRows(additions, pseudonyms), context, {
      ...options,
      alsoLock,
    });
    pseudonyms.forEach((pseudonym, email) => suppressed.set(email, suppressed.get(pseudonym)!));
    return suppressed;
  }

  private async suppressStored(
    identity: Identity,
    additions: Addition[],
    context: WriteContext,
    { listed, alsoLock }: SuppressOptions & { alsoLock: ReadonlySet<EmailAddress> },
  ): Promise<Map<EmailAddress, SuppressResult>> {
    const suppressed = new Map<EmailAddress, SuppressResult>();
    const set = (action: SuppressResult['action'], { id, email }: NamedSuppression) =>
      suppressed.set(email, { id, action });
    const isMissing = ({ email }: Pick<Addition, 'email'>) => !suppressed.has(email);
    let missing = additions;
    for (let present = listed; ; present = undefined) {
      const found = present ?? (await this.findPresent(identity.accountId, missing, transactionOf(context)));
      const imported = found.filter(({ importId }) => importId !== null && importId !== identity.actor.id);
      found.filter((record) => !imported.includes(record)).forEach((record) => set(null, record));
      missing = missing.filter(isMissing);
      if (missing.length > imported.length || (imported.length > 0 && alsoLock.size > 0)) {
        const locked = additions.filter((addition) => isMissing(addition) || alsoLock.has(addition.email));
        const changed = await this.additions.add(identity, locked, context);
        changed.forEach((record) => set(record.action, record));
      }
      const unconfirmed = imported.filter(isMissing).map(({ email }) => email);
      if (unconfirmed.length > 0) {
        const confirmed = await this.additions.confirm(identity, unconfirmed, context);
        confirmed.forEach((record) => set(null, record));
      }
      missing = missing.filter(isMissing);
      if (missing.length === 0) {
        return suppressed;
      }
      // They have an expired cause, or other requests change them at the same time. In a transaction, `add` also locks the records
      // that it does not change.
      if ('deadline' in context) {
        const rest = await transactionBefore(this.dataSource, context, (transaction) =>
          this.suppressStored(identity, missing, transaction, { alsoLock: new Set(emailsOf(missing)) }),
        );
        return new Map([...suppressed, ...rest]);
      }
      await this.expiry.endExpiredCauses(
        identity.accountId,
        missing.map(({ email }) => email),
        context,
      );
    }
  }

  /** Finds the records that additions would not change. There is at most one addition for each address. */
  findPresent(accountId: number, additions: Addition[], on?: EntityManager): Promise<PresentSuppression[]> {
    const required = new Map(additions.map((addition) => [addition.email, coverageOf(addition)]));
    return this.additions.findPresent(accountId, required, on);
  }
}

function transactionOf(context: WriteContext): EntityManager | undefined {
  return 'deadline' in context ? undefined : context;
}

function manualAddition(email: EmailAddress, { note, expiresAt }: ManualEntry): Addition {
  return { email, cause: 'manual', emailId: null, occurredAt: null, eventId: null, note, expiresAt };
}

/** What a record must cover so that an addition would not change it. */
function coverageOf({ cause, expiresAt }: Addition): Coverage {
  const endsAt = canExpire(cause) ? (expiresAt?.getTime() ?? Infinity) : -Infinity;
  return { causes: maskOf([cause]), endsAt };
}
