import { Body, Controller, Get, Patch } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { actorOfCaller, CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Deadline } from '../http/requests/deadline.js';
import { AccountDto, ChangeAccountDto } from './account.dto.js';
import * as operations from './operations.js';

@Controller('account')
export class AccountSettingsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  @operations.GetAccount()
  async get(@CurrentCaller() { accountId }: Caller): Promise<AccountDto> {
    return new AccountDto(await this.accounts.getById(accountId));
  }

  @Patch()
  @operations.ChangeAccount()
  async change(
    @CurrentCaller() caller: Caller,
    @Body() body: ChangeAccountDto,
    @Deadline() deadline: number,
  ): Promise<AccountDto> {
    const { accountId } = caller;
    return new AccountDto(
      await this.accounts.changeSettings(accountId, actorOfCaller(caller), body.toChanges(), deadline),
    );
  }
}
