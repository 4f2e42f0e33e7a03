import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import { BetaApiKeyGuard } from './beta-api-key.guard.js';
import { CallersService } from './callers.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ApiKey])],
  providers: [ApiKeysService, CallersService, BetaApiKeyGuard],
  exports: [ApiKeysService, BetaApiKeyGuard],
})
export class ApiKeysModule {}
