import { Body, Controller, Get, Patch } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { AccountDto, ChangeAccountDto } from './account.dto.js';
import { operations } from './operations.js';

@Controller('account')
export class AccountSettingsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  @operations.getAccount
  async get(@CurrentCaller() { accountId }: Caller) {
    return new AccountDto(await this.accounts.toShare(await this.accounts.getById(accountId)));
  }

  @Patch()
  @operations.changeAccount
  async change(@Context() context: RequestContext, @Body() body: ChangeAccountDto) {
    const account = await this.accounts.changeSettings(context, body.toChanges());
    return new AccountDto(await this.accounts.toShare(account));
  }
}
