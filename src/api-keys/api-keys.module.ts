import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import { BetaApiKeyGuard } from './beta-api-key.guard.js';

/** The guard stands before every route of the service. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKey])],
  providers: [ApiKeysService, { provide: APP_GUARD, useClass: BetaApiKeyGuard }],
  exports: [ApiKeysService],
})
export class ApiKeysModule {}
