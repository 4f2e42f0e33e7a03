import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { InboundModule } from './inbound/inbound.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import type { AppEnv } from './create-app.js';

@Module({})
export class AppModule {
  static with(env: AppEnv): DynamicModule {
    const { DATABASE_URL, DATABASE_POOL_SIZE, RATE_LIMIT } = env;
    return {
      module: AppModule,
      imports: [
        DatabaseModule.with(DATABASE_URL, DATABASE_POOL_SIZE),
        AccountsModule,
        ApiKeysModule,
        RateLimitModule.with(RATE_LIMIT),
        SuppressionsModule,
        InboundModule.with(env),
        HealthModule,
      ],
    };
  }
}
