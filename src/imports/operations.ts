import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { CHOOSE_FILE, fileContent } from '../http/body/file-content.js';
import { FileTypeError, PayloadTooLargeError, UnreadableUploadError } from '../http/errors/body-errors.js';
import { MAX_FILE_BYTES, MAX_OPEN_FILES } from '../files/file-limits.js';
import { HttpVersionError, TooManyOpenRequestsError, ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { Route } from '../http/route-options.js';
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

export function CreateImport(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:write'),
    Route({
      body: 'unread',
      bodyLimit: MAX_FILE_BYTES,
      maxOpen: MAX_OPEN_FILES,
      timeLimitMs: UPLOAD_TIME_LIMIT_MS,
    }),
    ApiTags('Imports'),
    ApiOperation({
      operationId: 'createImport',
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
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'A repeated key with the same file and parameters returns the same import. 1 to 256 characters.',
      required: false,
    }),
    Responds(
      HttpStatus.ACCEPTED,
      'The file is stored, and its import is queued.',
      ImportDto,
      examples.QUEUED,
    ),
    ApiErrors(
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
    ),
  );
}

export function ListImports(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Imports'),
    ApiOperation({ operationId: 'listImports', summary: 'List the imports', description: 'Newest first.' }),
    Responds(HttpStatus.OK, 'A page of the imports.', ImportsPageDto, examples.PAGE),
    ApiErrors(ValidationError.withExample('limit', 'must be a whole number from 1 to 100')),
  );
}

export function GetImport(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Imports'),
    ApiOperation({
      operationId: 'getImport',
      summary: 'Get an import',
      description: 'The counts are updated while the import runs. `rows` is the sum of the others.',
    }),
    ApiParam(examples.IMPORT_PARAM),
    Responds(HttpStatus.OK, 'The import.', ImportDto, examples.COMPLETED),
    ApiErrors(ImportNotFoundError),
  );
}

export function ListImportErrors(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    Route({ response: 'stream', maxOpen: MAX_OPEN_FILES, timeLimitMs: DOWNLOAD_TIME_LIMIT_MS }),
    ApiTags('Imports'),
    ApiOperation({
      operationId: 'listImportErrors',
      summary: 'Get the invalid rows of an import',
      description: `Returns the first ${MAX_STORED_ERRORS} errors as CSV with the columns \`line\`, \`code\`, and \`value\`, in the order of the file. The value is the text that could not be read, with the address of the row.`,
    }),
    ApiParam(examples.IMPORT_PARAM),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'The invalid rows.',
      content: { 'text/csv': { schema: { type: 'string' }, example: examples.ERRORS } },
    }),
    ApiErrors(ImportNotFoundError, HttpVersionError, TooManyOpenRequestsError),
  );
}

export function CancelImport(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:write'),
    ApiTags('Imports'),
    ApiOperation({
      operationId: 'cancelImport',
      summary: 'Cancel an import',
      description:
        'Stops the import and keeps the changes made so far. An import that has ended does not change. A revert cannot ' +
        'be cancelled.',
    }),
    ApiParam(examples.IMPORT_PARAM),
    Responds(HttpStatus.OK, 'The import after the cancellation.', ImportDto, {
      ...examples.COMPLETED,
      status: 'cancelled',
    }),
    ApiErrors(ImportNotFoundError, ImportStatusError),
  );
}

export function RevertImport(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:write'),
    ApiTags('Imports'),
    ApiOperation({
      operationId: 'revertImport',
      summary: 'Revert an import',
      description:
        'Removes what the import added or strengthened, unless it has been changed or reported again since. At the end, ' +
        'the status is `reverted`, and the field `reverted` has the number of addresses.',
    }),
    ApiParam(examples.IMPORT_PARAM),
    Responds(HttpStatus.ACCEPTED, 'The import will be reverted.', ImportDto, {
      ...examples.COMPLETED,
      status: 'queued',
    }),
    ApiErrors(ImportNotFoundError, ImportStatusError),
  );
}
