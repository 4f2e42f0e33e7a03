import { Module, type DynamicModule } from '@nestjs/common';
import { OpenRequestsGuard, RateLimitGuard } from './rate-limit.guards.js';

@Module({})
export class RateLimitModule {
  /** @param limit - requests per second and account; undefined for no limit */
  static forRoot(limit: number | undefined): DynamicModule {
    return {
      module: RateLimitModule,
      providers: [
        { provide: RateLimitGuard, useFactory: () => new RateLimitGuard(limit) },
        OpenRequestsGuard,
      ],
      exports: [RateLimitGuard, OpenRequestsGuard],
    };
  }
}
