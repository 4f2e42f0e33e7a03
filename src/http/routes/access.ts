import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/**
 * What a route requires of its caller. `BetaApiKeyGuard` checks an API key with a scope, `SessionGuard` a person with a role,
 * who signed in recently if the route says so.
 */
export type Access =
  | { scope: string }
  | { role: string; recent?: boolean; keepsForm?: boolean; beforeAdmission?: boolean }
  | { publicReason: string };

/** Set on every handler or its controller. A route without it is refused. */
export const RouteAccess = Reflector.createDecorator<Access>();

export function Public(reason: string): MethodDecorator & ClassDecorator {
  return RouteAccess({ publicReason: reason });
}

const reflector = new Reflector();
const accessOfHandlers = new WeakMap<Function, Access>();

/** @throws if the route does not declare its access */
export function accessOf(context: ExecutionContext): Access {
  const handler = context.getHandler();
  let access = accessOfHandlers.get(handler);
  if (!access) {
    const controller = context.getClass();
    access = reflector.getAllAndOverride(RouteAccess, [handler, controller]);
    if (!access) {
      throw new Error(`${controller.name}.${handler.name} does not declare its access`);
    }
    accessOfHandlers.set(handler, access);
  }
  return access;
}
