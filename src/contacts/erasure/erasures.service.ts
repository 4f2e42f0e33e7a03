import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { RequestContext } from '../../audit/request-context.js';
import { isUniqueViolation } from '../../database/errors.js';
import { transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { QuotedAddress } from '../../email-address/quoted-address.js';
import { requireFound } from '../../http/errors/api-error.js';
import { ValidationError } from '../../http/errors/errors.js';
import { AccountKeys } from '../../pseudonyms/account-keys.js';
import { isPseudonym, randomPseudonym } from '../../pseudonyms/pseudonym.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import { contactIdOf, type ContactRef } from '../../topics/contact.js';
import { ContactNotFoundError } from '../../topics/errors.js';
import { PreferencesService } from '../../topics/preferences.service.js';
import { Erasure, type Progress } from './erasure.entity.js';
import { ErasureSteps, FIRST_TABLE, MARGIN_MS } from './erasure-steps.js';
import { ErasuresRepository } from './erasures.repository.js';
import { ErasureInProgressError, ErasureNotFoundError, MayBeMailedAgainError } from './errors.js';
import { Pseudonyms } from './pseudonyms.js';

export const BACKUP_RETENTION_DAYS = Symbol('BACKUP_RETENTION_DAYS');

const DAY_MS = 86_400_000;

export interface RequestedErasure {
  keepBlock: boolean;
  reference: string;
  acceptsMail: boolean;
}

/** The record of an erasure, without the address. */
export interface Receipt extends Omit<Erasure, 'target' | 'progress' | 'contact'> {
  /** Until when backups may contain the address; null if that is unknown, or the erasure is not complete. */
  backupsUntil: Date | null;
  /** Whether an earlier request with the same reference had erased the address, so that this one changed nothing. */
  isRepeated: boolean;
  /** The key of the account, encrypted with SECRETS_KEY. With it, a receipt can repeat the erasure after a restore. */
  key: string;
}

@Injectable()
export class ErasuresService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly preferences: PreferencesService,
    private readonly erasures: ErasuresRepository,
    private readonly steps: ErasureSteps,
    private readonly pseudonyms: Pseudonyms,
    private readonly keys: AccountKeys,
    private readonly storedNames: StoredNames,
    @Inject(BACKUP_RETENTION_DAYS) private readonly backupRetentionDays: number | undefined,
  ) {}

  /**
   * Erases an address, completely or except for its block, as far as the time of the request allows. The rest follows in the
   * background. Repeating the request returns the state, and once the erasure is complete, the receipt, even if the address has
   * come back. A request with another reference erases the address again.
   *
   * @throws {ContactNotFoundError} if no contact has the id; an address needs none
   * @throws {ErasureInProgressError | MayBeMailedAgainError | KeptBlocksUnreadableError}
   * @throws {ValidationError} if the reference contains the address
   */
  async erase(context: RequestContext, contact: ContactRef, requested: RequestedErasure): Promise<Receipt> {
    const { accountId, deadline } = context;
    const erasure = await this.findOrCreate(context, contact, requested);
    while (
      performance.now() < deadline - MARGIN_MS &&
      (await this.steps.next(erasure, deadline)) === 'continue'
    ) {
      // The next step follows.
    }
    return this.receiptOf(await this.erasures.get(accountId, erasure.id), erasure.completedAt !== null);
  }

  /** @throws {ErasureNotFoundError} */
  async find(accountId: number, id: string): Promise<Receipt> {
    const erasure = await this.erasures.findById(accountId, id);
    return this.receiptOf(requireFound(erasure, ErasureNotFoundError), false);
  }

  /**
   * Begins an erasure, or finds an existing one. It runs in the background. It does not begin while another erasure of the
   * address is pending.
   *
   * @returns false if the erasure is complete
   */
  async begin(context: RequestContext, contact: ContactRef, requested: RequestedErasure): Promise<boolean> {
    try {
      return (await this.findOrCreate(context, contact, requested)).completedAt === null;
    } catch (error) {
      if (error instanceof ErasureInProgressError) {
        return true;
      }
      throw error;
    }
  }

  private async findOrCreate(
    context: RequestContext,
    contact: ContactRef,
    requested: RequestedErasure,
  ): Promise<Erasure> {
    const { accountId } = context;
    const email = await this.emailOf(context, contact, requested);
    if (typeof email !== 'string') {
      return email;
    }
    if (new QuotedAddress(email).isIn(requested.reference)) {
      throw ValidationError.ofField('reference', 'must not contain the address');
    }
    const pseudonym = isPseudonym(email) ? email : await this.pseudonyms.of(context, email);
    const { keepBlock, acceptsMail } = requested;
    const found = await this.erasures.find(accountId, pseudonym, requested);
    if (found) {
      if (acceptsMail && !found.completedAt) {
        await this.erasures.acceptMail(found);
      }
      return found;
    }
    const stored = await this.storedNames.oneForWriting(accountId, email);
    if (!keepBlock && !acceptsMail && (await this.erasures.mustNotBeMailed(accountId, stored))) {
      throw new MayBeMailedAgainError();
    }
    return this.create(context, email, pseudonym, { ...requested, wasKept: stored === pseudonym });
  }

  /**
   * Returns the address; the pseudonym that replaced it, if a receipt or the current contact names it so; or, once the contact
   * is gone, the erasure that an earlier request with the same id began.
   */
  private async emailOf(
    context: RequestContext,
    contact: ContactRef,
    requested: RequestedErasure,
  ): Promise<EmailAddress | Erasure> {
    const { accountId } = context;
    try {
      return await this.preferences.emailOf(accountId, contact);
    } catch (error) {
      if (!(error instanceof ContactNotFoundError) || !('id' in contact)) {
        throw error;
      }
      const hash = await this.pseudonyms.of(context, contact.id);
      const found = await this.erasures.findByContact(accountId, hash, requested);
      if (!found) {
        throw error;
      }
      return found;
    }
  }

  private async create(
    context: RequestContext,
    email: EmailAddress,
    pseudonym: EmailAddress,
    requested: RequestedErasure & { wasKept: boolean },
  ): Promise<Erasure> {
    const { accountId, actor } = context;
    const id = uuidv7();
    const { keepBlock, reference, acceptsMail, wasKept } = requested;
    const progress: Progress = {
      acceptsMail,
      replacement: keepBlock ? pseudonym : randomPseudonym(),
      wasKept,
      isPreparing: !keepBlock,
      isAnnounced: false,
      before: null,
      table: keepBlock ? null : FIRST_TABLE,
      after: null,
    };
    const target = this.pseudonyms.encrypt(id, email);
    const contact = await this.pseudonyms.of(context, contactIdOf(accountId, email));
    try {
      await transactionBefore(this.dataSource, context, async (transaction) => {
        const row = { accountId, id, pseudonym, contact, keepBlock, reference, actor, target, progress };
        await transaction.insert(Erasure, row as object);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) {
        throw error;
      }
      const found = await this.erasures.find(accountId, pseudonym, requested);
      return requireFound(found, ErasureInProgressError);
    }
    return this.erasures.get(accountId, id);
  }

  private async receiptOf(
    { target: _target, progress: _progress, contact: _contact, ...erasure }: Erasure,
    isRepeated: boolean,
  ): Promise<Receipt> {
    const { accountId, completedAt } = erasure;
    const { secret: key } = (await this.keys.find(accountId))!;
    const days = this.backupRetentionDays;
    const backupsUntil =
      completedAt && days !== undefined ? new Date(completedAt.getTime() + days * DAY_MS) : null;
    return { ...erasure, backupsUntil, isRepeated, key };
  }
}
