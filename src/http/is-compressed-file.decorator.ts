import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { FileTypeError } from './body-errors.js';

const MEDIA_TYPES = [
  'text/csv',
  'text/plain',
  'text/tab-separated-values',
  'application/json',
  'application/x-ndjson',
  'application/ndjson',
];

/**
 * Whether the body of a request is a file that gzip has compressed.
 *
 * @throws {FileTypeError} if the body is no file
 */
export const IsCompressedFile = createParamDecorator((_data: unknown, context: ExecutionContext): boolean => {
  const request = context.switchToHttp().getRequest<Request>();
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (!request.is(MEDIA_TYPES) || !['identity', 'gzip'].includes(encoding)) {
    throw new FileTypeError();
  }
  return encoding === 'gzip';
});
