import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { parametersOf, recordAudit } from '../../audit/record-audit.js';
import type { RequestContext } from '../../audit/request-context.js';
import { transactionBefore } from '../../database/transaction.js';
import type { Page } from '../../http/page.js';
import { lockList, ProviderListsService } from '../provider-lists.service.js';
import { PushesRepository, type OpenPush, type PushesQuery } from './pushes.repository.js';

@Injectable()
export class PushesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ProviderListsService,
    private readonly pushes: PushesRepository,
  ) {}

  /**
   * Failed changes first, then pending ones; each group is sorted by address.
   *
   * @throws {ProviderListNotFoundError | KeptBlocksUnreadableError | ValidationError}
   */
  async page(accountId: number, listId: string, query: PushesQuery): Promise<Page<OpenPush>> {
    return this.pushes.page(await this.lists.find(accountId, listId), query);
  }

  /**
   * Retries failed pushes now, at most 5,000 of each status.
   *
   * @returns how many pushes are retried
   * @throws {ProviderListNotFoundError}
   */
  async retry(context: RequestContext, listId: string): Promise<number> {
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const list = await lockList(context.accountId, listId, transaction);
      const retried = await this.pushes.retry(list, transaction);
      const changes = parametersOf({ retried });
      await recordAudit(transaction, context, 'provider_list.pushes_retried', list, changes);
      return retried;
    });
  }
}
