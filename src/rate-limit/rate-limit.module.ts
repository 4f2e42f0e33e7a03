import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { RateLimitGuard } from './rate-limit.guard.js';

@Module({})
export class RateLimitModule {
  /** @param limit - requests per second and account; undefined for no limit */
  static forRoot(limit: number | undefined): DynamicModule {
    const guards =
      limit === undefined ? [] : [{ provide: APP_GUARD, useFactory: () => new RateLimitGuard(limit) }];
    return { module: RateLimitModule, providers: guards };
  }
}
