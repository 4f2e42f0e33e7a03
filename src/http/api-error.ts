import type { ErrorBody, FieldError } from './error-body.js';

/** An error that has an answer on the wire. Thrown anywhere, answered by the one filter. */
export abstract class ApiError extends Error {
  abstract readonly statusCode: number;
  abstract override readonly name: string;
  readonly headers: Readonly<Record<string, string>> = {};
  readonly errors?: FieldError[];

  /** Without a stack, which nobody reads and which costs more than the rest of an answer's body. */
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }

  toBody(): ErrorBody {
    const { statusCode, name, message, errors } = this;
    return { statusCode, name, message, ...(errors && { errors }) };
  }
}

/** A class of errors, with an instance to show in the documentation. */
export interface ApiErrorClass {
  example(): ApiError;
}
