import { Module, type DynamicModule } from '@nestjs/common';
import { OpenRequestsGuard } from './open-requests.guard.js';
import { RateLimitGuard } from './rate-limit.guard.js';

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
