import type { ErrorBody, ErrorName, FieldError } from './error-body.js';

/** The names of errors by their status. Those of any other status are `validation_error`. */
const NAMES: Readonly<Record<number, ErrorName>> = {
  404: 'not_found',
  405: 'method_not_allowed',
  429: 'rate_limit_exceeded',
  500: 'internal_server_error',
  503: 'application_error',
};

type Headers = Readonly<Record<string, string>>;

/** A message with advice about a parameter of the API. The console and the command line give advice of their own. */
interface MessageWithAdvice {
  message: string;
  parameter: string;
  /** The message without the advice. */
  problem: string;
}

/** An error with a response of its own, which `ErrorFilter` sends. {@link apiError} makes its subclasses. */
export class ApiError extends Error {
  override readonly name: ErrorName;
  readonly errors?: FieldError[];
  readonly parameter?: string;
  readonly problem?: string;

  /** Captures no stack, because nobody reads it, and it costs more than the rest of the response. */
  constructor(
    readonly statusCode: number,
    name: ErrorName,
    readonly code: string,
    text: string | MessageWithAdvice,
    readonly headers: Headers,
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(typeof text === 'string' ? text : text.message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = name;
    if (typeof text !== 'string') {
      this.parameter = text.parameter;
      this.problem = text.problem;
    }
  }

  toBody(): ErrorBody {
    const { statusCode, name, code, message, parameter, problem, errors } = this;
    const error = { statusCode, name, message };
    const about = parameter !== undefined && { parameter, problem };
    return { statusCode, name, code, message, ...about, ...(errors && { errors }), error };
  }
}

/** A class of errors, with an example for the documentation. */
export interface DocumentedError {
  example(): ApiError;
}

export interface ApiErrorClass<Args extends unknown[]> extends DocumentedError {
  new (...args: Args): ApiError;
}

interface Facts<Args extends unknown[]> {
  /** By default, the name for the status. */
  name?: ErrorName;
  headers?: Headers | ((...args: Args) => Headers);
  /** The arguments of the documented example. */
  example?: NoInfer<Args>;
}

/**
 * Makes the base of a class of errors from its facts. `npm run docs` writes the docstring of the class to `docs/errors.md`:
 * what the error means, and in further paragraphs, what to do.
 *
 * @param code - stable across versions, and unique
 * @param message - or a function that makes it from the arguments of the constructor
 */
export function apiError<Args extends unknown[] = []>(
  statusCode: number,
  code: string,
  message: string | ((...args: Args) => string | MessageWithAdvice),
  { name = NAMES[statusCode] ?? 'validation_error', headers = {}, example }: Facts<Args> = {},
): ApiErrorClass<Args> {
  return class extends ApiError {
    constructor(...args: Args) {
      super(
        statusCode,
        name,
        code,
        typeof message === 'function' ? message(...args) : message,
        typeof headers === 'function' ? headers(...args) : headers,
      );
    }

    static example(): ApiError {
      return new this(...((example ?? []) as Args));
    }
  };
}

/** @throws {ApiError} `Missing`, if nothing was found */
export function requireFound<Found>(found: Found | null | undefined, Missing: new () => ApiError): Found {
  if (found === null || found === undefined) {
    throw new Missing();
  }
  return found;
}

export function withAdvice(problem: string, parameter: string, advice: string): MessageWithAdvice {
  return { message: `${problem} ${advice}`, parameter, problem };
}

export function retryAfter(seconds: number): Headers {
  return { 'Retry-After': String(seconds) };
}
