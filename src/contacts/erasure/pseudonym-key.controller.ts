import { Controller, Get } from '@nestjs/common';
import { Context, type RequestContext } from '../../audit/request-context.js';
import { AccountKeys } from '../../pseudonyms/account-keys.js';
import { ReadPseudonymKey } from './operations.js';
import { PseudonymKeyDto } from './pseudonym-key.dto.js';

@Controller('pseudonym-key')
export class PseudonymKeyController {
  constructor(private readonly keys: AccountKeys) {}

  @Get()
  @ReadPseudonymKey()
  async read(@Context() { accountId }: RequestContext): Promise<PseudonymKeyDto> {
    return new PseudonymKeyDto(await this.keys.readText(accountId));
  }
}
