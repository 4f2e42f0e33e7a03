import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { CHOOSE_FILE, fileContent } from '../http/body/unread-body.js';
import { FileTypeError, PayloadTooLargeError, UnreadableUploadError } from '../http/errors/body-errors.js';
import { HttpVersionError, TooManyOpenRequestsError, ValidationError } from '../http/errors/errors.js';
import { idParam } from '../http/path-param.js';
import { RespondsWithFile } from '../http/responses/response.decorators.js';
import { FILE_DOWNLOAD, FILE_UPLOAD } from '../http/route.js';
import {
  ApiIdempotencyKey,
  IdempotencyConflictError,
  InvalidIdempotencyKeyError,
} from '../http/idempotency.js';
import { TopicNotFoundError } from '../topics/errors.js';
import {
  AmbiguousFileError,
  ImportNotFoundError,
  ImportStatusError,
  RefusedFileError,
  TooManyImportsError,
  UnknownFileError,
} from './errors.js';
import { ImportDto, ImportsPageDto } from './import.dto.js';
import { MAX_STORED_ERRORS } from './imports.repository.js';

const ID = '0198a5f4-1c2d-7e3f-8a4b-5c6d7e8f9a0b';

export const ImportId = idParam('import', ImportNotFoundError, {
  description: 'The id of the import.',
  example: ID,
});

const FILES: Parameters<typeof fileContent>[0] = {
  'text/csv': [
    'Bounces of Mailgun',
    'address,code,error,created_at\ngone@example.com,550,No such mailbox,"Fri, 21 Oct 2011 11:02:55 GMT"\n',
  ],
  'text/plain': ['One address per line', 'ada@example.com\ngrace@example.com\n'],
  'application/json': [
    'Suppressions of Amazon SES',
    {
      SuppressedDestinationSummaries: [
        { EmailAddress: 'gone@example.com', Reason: 'BOUNCE', LastUpdateTime: '2026-01-15T09:30:00Z' },
      ],
    },
  ],
  'application/x-ndjson': [
    'An import job of Amazon SES',
    '{"emailAddress":"gone@example.com","reason":"BOUNCE"}\n',
  ],
};

const QUEUED: ImportDto = {
  object: 'import',
  id: ID,
  name: null,
  filename: 'example.com_bounces.csv',
  status: 'queued',
  format: 'mailgun-bounces',
  topic: null,
  dry_run: false,
  bytes: 110,
  rows: 0,
  added: 0,
  strengthened: 0,
  unchanged: 0,
  skipped: {},
  invalid: 0,
  reverted: 0,
  kept: 0,
  error: null,
  created_at: '2026-01-15T09:30:00.000Z',
  completed_at: null,
};

const COMPLETED: ImportDto = {
  ...QUEUED,
  status: 'completed',
  rows: 1,
  added: 1,
  completed_at: '2026-01-15T09:30:01.000Z',
};

const PAGE: ImportsPageDto = { object: 'list', has_more: false, data: [COMPLETED] };

const ERRORS =
  'line,code,value\r\n7,invalid_email,ada@example\r\n9,ambiguous_date,12/31/2020 (bob@example.com)\r\n';

export const operations = operationsOf('Imports', {
  createImport: {
    scope: 'suppressions:write',
    summary: 'Import a file',
    description:
      'The body is the file, of up to 1 GiB, or a form with the file in the field `file`. Each address keeps its cause and its date. An import only adds: it ' +
      'removes, weakens, and overwrites nothing, and importing a file twice changes nothing. It skips rows that are ' +
      'older than the removal of their cause. docs/files.md lists the formats. ' +
      CHOOSE_FILE,
    requestBody: fileContent(FILES),
    route: FILE_UPLOAD,
    decorators: [
      ApiIdempotencyKey(
        'A repeated key with the same file and parameters returns the same import, until 90 days after its end.',
      ),
    ],
    responds: [HttpStatus.ACCEPTED, 'The file is stored, and its import is queued.', ImportDto, QUEUED],
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
    responds: [HttpStatus.OK, 'A page of the imports.', ImportsPageDto, PAGE],
  },
  getImport: {
    scope: 'suppressions:read',
    summary: 'Get an import',
    description: 'The counts are updated while the import runs. `rows` is the sum of the others.',
    responds: [HttpStatus.OK, 'The import.', ImportDto, COMPLETED],
  },
  listImportErrors: {
    scope: 'suppressions:read',
    summary: 'Get the invalid rows of an import',
    description: `Returns the first ${MAX_STORED_ERRORS.toLocaleString('en')} errors as CSV with the columns \`line\`, \`code\`, and \`value\`, in the order of the file. The value is the text that could not be read, with the address of the row.`,
    route: FILE_DOWNLOAD,
    decorators: [RespondsWithFile('The invalid rows.', { 'text/csv': ERRORS })],
    errors: [HttpVersionError, TooManyOpenRequestsError],
  },
  cancelImport: {
    scope: 'suppressions:write',
    summary: 'Cancel an import',
    description:
      'Stops the import and keeps the changes made so far. An import that has ended does not change. A revert cannot ' +
      'be cancelled.',
    responds: [
      HttpStatus.OK,
      'The import after the cancellation.',
      ImportDto,
      { ...COMPLETED, status: 'cancelled' },
    ],
    errors: [ImportStatusError],
  },
  revertImport: {
    scope: 'suppressions:write',
    summary: 'Revert an import',
    description:
      'Removes what the import added or strengthened, unless it has been changed or reported again since. At the end, ' +
      'the status is `reverted`, and the field `reverted` has the number of addresses.',
    responds: [
      HttpStatus.ACCEPTED,
      'The import will be reverted.',
      ImportDto,
      { ...COMPLETED, status: 'queued' },
    ],
    errors: [ImportStatusError],
  },
});
