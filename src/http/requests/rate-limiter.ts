import { createRequire } from 'node:module';
import type * as Package from 'rate-limiter-flexible';

const require = createRequire(import.meta.url);

/** The index of rate-limiter-flexible also loads the limiters of fifteen databases. */
function part<Name extends keyof typeof Package>(name: Name): (typeof Package)[Name] {
  return require(`rate-limiter-flexible/lib/${name}.js`);
}

export const RateLimiterMemory = part('RateLimiterMemory');
export type RateLimiterMemory = Package.RateLimiterMemory;
export const RateLimiterRes = part('RateLimiterRes');
export type RateLimiterRes = Package.RateLimiterRes;
