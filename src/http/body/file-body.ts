import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { FileTypeError } from '../errors/body-errors.js';

const TEXT_TYPES = ['text/csv', 'text/plain', 'text/tab-separated-values'];
const JSON_TYPES = ['application/json', 'application/x-ndjson', 'application/ndjson'];

/**
 * Whether the body of a request is a file that gzip has compressed. The argument says whether it may be JSON.
 *
 * @throws {FileTypeError} if the body is no file
 */
export const IsCompressedFile = createParamDecorator(
  (hasJson: boolean, context: ExecutionContext): boolean => {
    const request = context.switchToHttp().getRequest<Request>();
    const encoding = request.headers['content-encoding'] ?? 'identity';
    const types = hasJson ? [...TEXT_TYPES, ...JSON_TYPES] : TEXT_TYPES;
    if (!request.is(types) || !['identity', 'gzip'].includes(encoding)) {
      throw new FileTypeError(hasJson);
    }
    return encoding === 'gzip';
  },
);
