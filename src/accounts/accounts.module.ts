import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Account } from './account.entity.js';
import { AccountsService } from './accounts.service.js';
import { RecentAccounts } from './recent-accounts.js';

@Module({
  imports: [TypeOrmModule.forFeature([Account])],
  providers: [AccountsService, RecentAccounts],
  exports: [AccountsService, RecentAccounts],
})
export class AccountsModule {}
