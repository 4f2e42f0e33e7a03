import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { EmailAddress } from '../email-address/email-address.js';
import { ServiceUnavailableError } from '../http/errors.js';
import { BatchAddedDto } from './dto/batch-add.dto.js';
import { SuppressionDto } from './dto/suppression.dto.js';
import { SuppressionNotFoundError } from './errors.js';
import type { SuppressionRef } from './suppression-ref.js';
import { SuppressionsRepository, type NewSuppression } from './suppressions.repository.js';

/** An address is missed once when another request adds it at the same time, twice when one also removes it. */
const MAX_ROUNDS = 10;

@Injectable()
export class SuppressionsService {
  constructor(private readonly suppressions: SuppressionsRepository) {}

  /** @throws {SuppressionNotFoundError} */
  async get(accountId: number, ref: SuppressionRef): Promise<SuppressionDto> {
    const suppression = await this.suppressions.find(accountId, ref);
    if (!suppression) {
      throw new SuppressionNotFoundError();
    }
    return new SuppressionDto(suppression);
  }

  /** Suppresses addresses by hand; the answer has one id for each element asked, in the order asked. */
  async batchAdd(accountId: number, emails: EmailAddress[]): Promise<BatchAddedDto> {
    const ids = await this.idsOf(accountId, new Set(emails));
    return new BatchAddedDto(emails.map((email) => ids.get(email)!));
  }

  /** @throws {ServiceUnavailableError} when others keep adding and removing the same addresses */
  private async idsOf(accountId: number, emails: Set<EmailAddress>): Promise<Map<EmailAddress, string>> {
    const ids = new Map<EmailAddress, string>();
    for (let round = 0; round < MAX_ROUNDS && ids.size < emails.size; round++) {
      const missing = [...emails].filter((email) => !ids.has(email));
      for (const { id, email } of await this.suppressions.addOrFind(
        accountId,
        'manual',
        missing.map(newSuppression),
      )) {
        ids.set(email, id);
      }
    }
    if (ids.size < emails.size) {
      throw new ServiceUnavailableError(
        'Other requests keep changing the same addresses. Try again in a moment.',
      );
    }
    return ids;
  }
}

/** The moment of creation is the one in the id, so that both give the same order. */
function newSuppression(email: EmailAddress): NewSuppression {
  const id = uuidv7();
  const createdAt = new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  return { id, email, createdAt };
}
