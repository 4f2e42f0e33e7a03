import { Reflector } from '@nestjs/core';
import type { Scope } from './scopes.js';

/** What a route asks of its caller: a scope, or nothing, with the reason why it is public. */
export type Access = { scope: Scope } | { publicBecause: string };

/** Every route has it, on the handler or on the controller; the guard refuses to serve one that has not. */
export const AccessTo = Reflector.createDecorator<Access>();
