import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AccountSettingsController } from './account-settings.controller.js';

@Module({ imports: [AccountsModule], controllers: [AccountSettingsController] })
export class AccountSettingsModule {}
