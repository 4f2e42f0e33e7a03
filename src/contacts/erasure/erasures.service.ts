import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { parametersOf, recordAudit } from '../../audit/record-audit.js';
import type { RequestContext } from '../../audit/request-context.js';
import { transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { QuotedAddress } from '../../email-address/quoted-address.js';
import { ValidationError } from '../../http/errors/errors.js';
import type { ContactRef } from '../../topics/contact.js';
import { PreferencesService } from '../../topics/preferences.service.js';
import { Erasure, type Progress } from './erasure.entity.js';
import { ErasureSteps } from './erasure-steps.js';
import { ErasuresRepository } from './erasures.repository.js';
import { MayBeMailedAgainError } from './errors.js';
import { Pseudonyms } from './pseudonyms.js';

export const BACKUP_RETENTION_DAYS = Symbol('BACKUP_RETENTION_DAYS');

const DAY_MS = 86_400_000;
/** Left for the response after the steps of a request. */
const MARGIN_MS = 1_500;
/** PostgreSQL's unique_violation: another request began to erase the address. */
const UNIQUE_VIOLATION = '23505';

export interface RequestedErasure {
  reference: string;
  acceptsMail: boolean;
}

/** What was erased. It has no address. */
export interface Receipt extends Omit<Erasure, 'target' | 'progress'> {
  /** Until when backups may have the address; null if that is unknown, or the erasure goes on. */
  backupsUntil: Date | null;
  /** Whether an earlier request with the same reference had erased the address, and this one changed nothing. */
  isRepeated: boolean;
}

@Injectable()
export class ErasuresService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly preferences: PreferencesService,
    private readonly erasures: ErasuresRepository,
    private readonly steps: ErasureSteps,
    private readonly pseudonyms: Pseudonyms,
    @Inject(BACKUP_RETENTION_DAYS) private readonly backupRetentionDays: number | undefined,
  ) {}

  /**
   * Erases an address completely, as far as the time of the request allows. The rest follows in the background, and repeating the
   * request returns the state, and after the end the receipt, also if the address has come back. A request with another reference
   * erases it again.
   *
   * @throws {ContactNotFoundError} if no contact has the id; an address needs none
   * @throws {MayBeMailedAgainError}
   * @throws {ValidationError} if the reference contains the address
   */
  async erase(context: RequestContext, contact: ContactRef, requested: RequestedErasure): Promise<Receipt> {
    const { accountId, deadline } = context;
    const email = await this.preferences.emailOf(accountId, contact);
    const erasure = await this.findOrCreate(context, email, requested);
    while (
      performance.now() < deadline - MARGIN_MS &&
      (await this.steps.next(erasure, deadline)) === 'continue'
    ) {
      // The next step follows.
    }
    const isRepeated = erasure.completedAt !== null;
    return this.receiptOf(await this.erasures.get(accountId, erasure.id), isRepeated);
  }

  private async findOrCreate(
    context: RequestContext,
    email: EmailAddress,
    requested: RequestedErasure,
  ): Promise<Erasure> {
    const { accountId } = context;
    if (new QuotedAddress(email).isIn(requested.reference)) {
      throw ValidationError.ofFields([{ path: 'reference', message: 'must not contain the address' }]);
    }
    const pseudonym = await this.pseudonyms.of(accountId, email, context.deadline);
    const { reference, acceptsMail } = requested;
    const found = await this.erasures.find(accountId, pseudonym, reference);
    if (found) {
      if (acceptsMail && !found.completedAt) {
        await this.erasures.acceptMail(found);
      }
      return found;
    }
    if (!acceptsMail && (await this.erasures.mustNotBeMailed(accountId, email))) {
      throw new MayBeMailedAgainError();
    }
    return this.create(context, email, pseudonym, requested);
  }

  private async create(
    context: RequestContext,
    email: EmailAddress,
    pseudonym: string,
    { reference, acceptsMail }: RequestedErasure,
  ): Promise<Erasure> {
    const { accountId, actor, deadline } = context;
    const id = uuidv7();
    const replacement = this.pseudonyms.random();
    const progress: Progress = { acceptsMail, replacement, before: null, table: null, after: null };
    const target = this.pseudonyms.encrypt(id, email);
    try {
      await transactionBefore(this.dataSource, deadline, async (transaction) => {
        const row = { accountId, id, pseudonym, reference, actor, target, progress };
        await transaction.insert(Erasure, row as object);
        const changes = parametersOf({ keepBlock: false, reference });
        await recordAudit(transaction, context, 'contact.erased', { id, name: 'contact' }, changes);
      });
    } catch (error) {
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION) {
        throw error;
      }
      const found = await this.erasures.find(accountId, pseudonym, reference);
      return found ?? this.create(context, email, pseudonym, { reference, acceptsMail });
    }
    return this.erasures.get(accountId, id);
  }

  private receiptOf(
    { target: _target, progress: _progress, ...erasure }: Erasure,
    isRepeated: boolean,
  ): Receipt {
    const { completedAt } = erasure;
    const days = this.backupRetentionDays;
    const backupsUntil =
      completedAt && days !== undefined ? new Date(completedAt.getTime() + days * DAY_MS) : null;
    return { ...erasure, backupsUntil, isRepeated };
  }
}
