import { Reflector } from '@nestjs/core';
import type { Scope } from './scopes.js';

/** What a route asks of its caller: an API key with a scope, or nothing, with the reason why the route is public. */
export type Access = { scope: Scope } | { publicBecause: string };

/** Every handler, or its controller, carries it. The guard refuses to serve a route without it. */
export const RouteAccess = Reflector.createDecorator<Access>();

/** Serves a route without an API key. */
export function Public(reason: string): MethodDecorator & ClassDecorator {
  return RouteAccess({ publicBecause: reason });
}
