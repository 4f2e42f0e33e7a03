import { Controller, Get } from '@nestjs/common';
import { Context, type RequestContext } from '../../audit/request-context.js';
import { AccountKeys } from '../../pseudonyms/account-keys.js';
import { KeptBlocksRepository } from '../../pseudonyms/kept-blocks.repository.js';
import { operations } from './operations.js';
import { PseudonymKeyDto } from './pseudonym-key.dto.js';

@Controller('pseudonym-key')
export class PseudonymKeyController {
  constructor(
    private readonly keys: AccountKeys,
    private readonly blocks: KeptBlocksRepository,
  ) {}

  @Get()
  @operations.readPseudonymKey
  async read(@Context() { accountId }: RequestContext): Promise<PseudonymKeyDto> {
    return new PseudonymKeyDto(await this.keys.readText(accountId), await this.blocks.findFilters(accountId));
  }
}
