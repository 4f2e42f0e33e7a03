import { HttpStatus } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { operationsOf } from '../api-keys/operations-of.js';
import { CHOOSE_FILE, fileContent } from '../http/body/file-content.js';
import { FileTypeError, PayloadTooLargeError, UnreadableUploadError } from '../http/errors/body-errors.js';
import { MAX_FILE_BYTES, MAX_OPEN_FILES } from '../files/file-limits.js';
import { HttpVersionError, TooManyOpenRequestsError, ValidationError } from '../http/errors/errors.js';
import { IdempotencyConflictError, InvalidIdempotencyKeyError } from '../http/idempotency.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { ImportDto, ImportsPageDto } from './dto/import.dto.js';
import {
  AmbiguousFileError,
  ImportNotFoundError,
  ImportStatusError,
  RefusedFileError,
  TooManyImportsError,
  UnknownFileError,
} from './errors.js';
import * as examples from './examples.js';
import { MAX_STORED_ERRORS } from './imports.repository.js';

const UPLOAD_TIME_LIMIT_MS = 60 * 60 * 1000;

const DOWNLOAD_TIME_LIMIT_MS = 60 * 60 * 1000;

export const operations = operationsOf('Imports', {
  createImport: {
    scope: 'suppressions:write',
    summary: 'Import a file',
    description:
      'The body is the file, of up to 1 GiB, or a form with the file in the field `file`. Each address keeps its cause and its date. An import only adds: it ' +
      'removes, weakens, and overwrites nothing, and importing a file twice changes nothing. It skips rows that are ' +
      'older than the removal of their cause. docs/files.md lists the formats. ' +
      CHOOSE_FILE,
    requestBody: fileContent(
      ['text/csv', 'text/plain', 'application/json', 'application/x-ndjson'],
      'Bounces of Mailgun',
      examples.FILE,
    ),
    route: {
      body: 'unread',
      bodyLimit: MAX_FILE_BYTES,
      maxOpen: MAX_OPEN_FILES,
      timeLimitMs: UPLOAD_TIME_LIMIT_MS,
    },
    decorators: [
      ApiHeader({
        name: 'Idempotency-Key',
        description:
          'A repeated key with the same file and parameters returns the same import. 1 to 256 characters.',
        required: false,
      }),
    ],
    responds: [
      HttpStatus.ACCEPTED,
      'The file is stored, and its import is queued.',
      ImportDto,
      examples.QUEUED,
    ],
    errors: [
      ValidationError.withExample('default_cause', 'must be one of bounce, manual, unsubscribe, complaint'),
      InvalidIdempotencyKeyError,
      IdempotencyConflictError,
      PayloadTooLargeError,
      FileTypeError,
      UnknownFileError,
      AmbiguousFileError,
      RefusedFileError,
      UnreadableUploadError,
      TopicNotFoundError,
      TooManyImportsError,
      TooManyOpenRequestsError,
    ],
  },
  listImports: {
    scope: 'suppressions:read',
    summary: 'List the imports',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the imports.', ImportsPageDto, examples.PAGE],
    errors: [ValidationError.withExample('limit', 'must be a whole number from 1 to 100')],
  },
  getImport: {
    scope: 'suppressions:read',
    summary: 'Get an import',
    description: 'The counts are updated while the import runs. `rows` is the sum of the others.',
    params: [examples.IMPORT_PARAM],
    responds: [HttpStatus.OK, 'The import.', ImportDto, examples.COMPLETED],
    errors: [ImportNotFoundError],
  },
  listImportErrors: {
    scope: 'suppressions:read',
    summary: 'Get the invalid rows of an import',
    description: `Returns the first ${MAX_STORED_ERRORS} errors as CSV with the columns \`line\`, \`code\`, and \`value\`, in the order of the file. The value is the text that could not be read, with the address of the row.`,
    route: { response: 'stream', maxOpen: MAX_OPEN_FILES, timeLimitMs: DOWNLOAD_TIME_LIMIT_MS },
    params: [examples.IMPORT_PARAM],
    decorators: [
      ApiResponse({
        status: HttpStatus.OK,
        description: 'The invalid rows.',
        content: { 'text/csv': { schema: { type: 'string' }, example: examples.ERRORS } },
      }),
    ],
    errors: [ImportNotFoundError, HttpVersionError, TooManyOpenRequestsError],
  },
  cancelImport: {
    scope: 'suppressions:write',
    summary: 'Cancel an import',
    description:
      'Stops the import and keeps the changes made so far. An import that has ended does not change. A revert cannot ' +
      'be cancelled.',
    params: [examples.IMPORT_PARAM],
    responds: [
      HttpStatus.OK,
      'The import after the cancellation.',
      ImportDto,
      { ...examples.COMPLETED, status: 'cancelled' },
    ],
    errors: [ImportNotFoundError, ImportStatusError],
  },
  revertImport: {
    scope: 'suppressions:write',
    summary: 'Revert an import',
    description:
      'Removes what the import added or strengthened, unless it has been changed or reported again since. At the end, ' +
      'the status is `reverted`, and the field `reverted` has the number of addresses.',
    params: [examples.IMPORT_PARAM],
    responds: [
      HttpStatus.ACCEPTED,
      'The import will be reverted.',
      ImportDto,
      { ...examples.COMPLETED, status: 'queued' },
    ],
    errors: [ImportNotFoundError, ImportStatusError],
  },
});
