import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../audit/request-context.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { AccountKeys } from '../../pseudonyms/account-keys.js';
import { pseudonymOf } from '../../pseudonyms/pseudonym.js';
import { MARGIN_MS } from './erasure-steps.js';
import { ErasuresService } from './erasures.service.js';
import { AddressPagesRepository, type AddressCursor } from './address-pages.repository.js';

/** A receipt with which an erasure is repeated after the database was restored from a backup. */
export interface RepeatedReceipt {
  pseudonym: string;
  keepBlock: boolean;
  reference: string;
  /** When the erasure began. */
  createdAt: Date;
  /** The key of the account, encrypted. */
  key: string;
}

export interface Repetition {
  /** The pseudonyms of the addresses that were found, and are being erased again. */
  found: Set<string>;
  /**
   * The pseudonyms of the addresses that are not erased again, because something that blocks them was added after the erasure.
   */
  reportedSince: Set<string>;
  /** Where the search continues; null if it has ended. */
  next: AddressCursor | null;
}

@Injectable()
export class RepeatsService {
  constructor(
    private readonly keys: AccountKeys,
    private readonly pages: AddressPagesRepository,
    private readonly erasures: ErasuresService,
  ) {}

  /**
   * Erases the addresses of receipts again if the account has them, beginning after a cursor, as far as the time of the request
   * allows. If several receipts have the same pseudonym, the latest one counts.
   *
   * @throws {KeptBlocksUnreadableError} if no key of the receipts can be read
   */
  async repeat(
    context: RequestContext,
    receipts: RepeatedReceipt[],
    after: AddressCursor | null,
  ): Promise<Repetition> {
    const { accountId, deadline } = context;
    const keys = await this.keys.ofReceipts(context, [...new Set(receipts.map(({ key }) => key))]);
    const oldestFirst = receipts.toSorted((one, other) => Number(one.createdAt) - Number(other.createdAt));
    const byPseudonym = new Map(oldestFirst.map((receipt) => [receipt.pseudonym, receipt]));
    let next = after;
    const found = new Set<string>();
    const reportedSince = new Set<string>();
    do {
      const page = await this.pages.read(accountId, next);
      next = page.next;
      for (const email of page.emails) {
        const receipt = receiptOf(email, keys, byPseudonym);
        if (!receipt) {
          continue;
        }
        const { pseudonym, keepBlock, createdAt } = receipt;
        if (!keepBlock && (await this.pages.isReportedSince(accountId, email, createdAt))) {
          reportedSince.add(pseudonym);
        } else if (await this.erasures.begin(context, { email }, { ...receipt, acceptsMail: true })) {
          found.add(pseudonym);
        }
      }
    } while (next && performance.now() < deadline - MARGIN_MS);
    return { found, reportedSince, next };
  }
}

/** A block that was kept before the backup is found by its pseudonym, and erased if the receipt says so. */
function receiptOf(
  email: EmailAddress,
  keys: KeyObject[],
  byPseudonym: ReadonlyMap<string, RepeatedReceipt>,
): RepeatedReceipt | undefined {
  const kept = byPseudonym.get(email);
  if (kept) {
    return kept.keepBlock ? undefined : kept;
  }
  return keys.map((key) => byPseudonym.get(pseudonymOf(key, email))).find(Boolean);
}
