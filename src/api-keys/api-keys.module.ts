import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import { BetaApiKeyGuard } from './beta-api-key.guard.js';
import { CallersService } from './callers.service.js';

@Module({})
export class ApiKeysModule {
  /** @param trustsProxies - whether the service knows which proxies are in front of it */
  static forRoot(trustsProxies: boolean): DynamicModule {
    return {
      module: ApiKeysModule,
      imports: [TypeOrmModule.forFeature([ApiKey])],
      providers: [
        ApiKeysService,
        CallersService,
        {
          provide: BetaApiKeyGuard,
          inject: [CallersService],
          useFactory: (callers: CallersService) => new BetaApiKeyGuard(callers, trustsProxies),
        },
      ],
      exports: [ApiKeysService, BetaApiKeyGuard],
    };
  }
}
