import type { ErrorBody, ErrorName, FieldError } from './error-body.js';

/** An error with a response of its own, which `ErrorFilter` sends. */
export abstract class ApiError extends Error {
  abstract readonly statusCode: number;
  abstract override readonly name: ErrorName;
  abstract readonly code: string;
  readonly headers: Readonly<Record<string, string>> = {};
  readonly errors?: FieldError[];

  /** Captures no stack: nobody reads it, and it costs more than the rest of the response. */
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }

  toBody(): ErrorBody {
    const { statusCode, name, code, message, errors } = this;
    const error = { statusCode, name, message };
    return { statusCode, name, code, message, ...(errors && { errors }), error };
  }
}

/** A class of errors, with an example for the documentation. */
export interface ApiErrorClass {
  example(): ApiError;
}
