import type { IncomingMessage } from 'node:http';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { VNode } from 'preact';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { MAX_FILE_BYTES } from '../files/file-limits.js';
import type { ApiError } from './errors/api-error.js';

export const MEBIBYTE = 1024 * 1024;

export interface RouteOptions {
  /** How the body is read: as JSON or as the fields of a form before the handler runs, or by the handler or a guard. */
  body: 'json' | 'form' | 'unread';
  /** The most bytes of an unread body. JSON and forms have at most 1 MiB. */
  bodyLimit: number;
  /** The kind of response. Errors of an HTML route are also pages. */
  response: 'json' | 'stream' | 'html';
  /** The error page of an HTML route. By default, a plain page. */
  errorPage?: (error: ApiError, request: IncomingMessage) => VNode;
  /** Whether pages may load scripts of this origin. */
  script: boolean;
  /** The most requests of an account that an instance handles at once. */
  maxOpen: number;
  /** Milliseconds until the request gets 503, or until its connection is closed if its response has begun. */
  timeLimitMs: number;
}

const JSON_ROUTE: RouteOptions = {
  body: 'json',
  bodyLimit: MEBIBYTE,
  response: 'json',
  script: false,
  maxOpen: Infinity,
  timeLimitMs: REQUEST_TIME_LIMIT_MS,
};

/** The time limit of a route that sends or receives a file. */
export const FILE_TIME_LIMIT_MS = 60 * 60 * 1000;
/** Many local copies may begin together. */
const MAX_OPEN_FILES = 50;

/** The options of a route that sends a file. */
export const FILE_DOWNLOAD: Partial<RouteOptions> = {
  response: 'stream',
  maxOpen: MAX_OPEN_FILES,
  timeLimitMs: FILE_TIME_LIMIT_MS,
};

/** The options of a route whose handler reads a file. */
export const FILE_UPLOAD: Partial<RouteOptions> = {
  body: 'unread',
  bodyLimit: MAX_FILE_BYTES,
  maxOpen: MAX_OPEN_FILES,
  timeLimitMs: FILE_TIME_LIMIT_MS,
};

/** Sets the options in which a route differs from one that reads and writes JSON. Works on handlers and on controllers. */
export const Route = Reflector.createDecorator<Partial<RouteOptions>>();

const reflector = new Reflector();

export const routeOptionsOf = oncePerHandler((context): RouteOptions => ({
  ...JSON_ROUTE,
  ...reflector.get(Route, context.getClass()),
  ...reflector.get(Route, context.getHandler()),
}));

/** Caches the result of `read` for each handler, since it never changes. */
export function oncePerHandler<Facts>(
  read: (context: ExecutionContext) => Facts,
): (context: ExecutionContext) => Facts {
  const known = new WeakMap<Function, Facts>();
  return (context) => {
    const handler = context.getHandler();
    const facts = known.get(handler) ?? read(context);
    known.set(handler, facts);
    return facts;
  };
}

/**
 * What a route requires of its caller. `BetaApiKeyGuard` checks an API key with a scope, `SessionGuard` a person with a role,
 * who signed in recently if the route says so.
 */
export type Access =
  { scope: string } | { role: string; recent?: boolean; keepsForm?: boolean } | { publicReason: string };

/** Set on every handler or its controller. Requests to a route without it are refused. */
export const RouteAccess = Reflector.createDecorator<Access>();

export function Public(reason: string): MethodDecorator & ClassDecorator {
  return RouteAccess({ publicReason: reason });
}

/** @throws if the route does not declare its access */
export const accessOf = oncePerHandler((context): Access => {
  const [handler, controller] = [context.getHandler(), context.getClass()];
  const access = reflector.getAllAndOverride(RouteAccess, [handler, controller]);
  if (!access) {
    throw new Error(`${controller.name}.${handler.name} does not declare its access`);
  }
  return access;
});
