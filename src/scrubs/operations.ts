import { applyDecorators, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { CHOOSE_FILE, fileContent } from '../http/body/file-content.js';
import { FileTypeError, PayloadTooLargeError, UnreadableUploadError } from '../http/errors/body-errors.js';
import { MAX_FILE_BYTES } from '../files/file-limits.js';
import { HttpVersionError, TooManyOpenRequestsError, ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { Route } from '../http/route-options.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { ScrubDto } from './dto/scrub.dto.js';
import { NoValidAddressError, ScrubNotFoundError, UnknownColumnError } from './errors.js';
import { SCRUB_TIME_LIMIT_MS } from './scrubs.service.js';

/** Each occupies up to a core while its file arrives. */
const MAX_OPEN_SCRUBS = 4;

const ID_EXAMPLE = '0198a5f6-3e4f-7a5b-8c6d-7e8f9a0b1c2d';

const EXAMPLE: ScrubDto = {
  object: 'scrub',
  id: ID_EXAMPLE,
  status: 'completed',
  rows: 3,
  send: 1,
  suppressed: 1,
  invalid: 1,
  problem: null,
  created_at: '2026-01-15T09:30:00.000Z',
  completed_at: '2026-01-15T09:30:01.000Z',
};

export function CreateScrub(): MethodDecorator {
  return applyDecorators(
    HttpCode(HttpStatus.OK),
    RequireScope('suppressions:read'),
    Route({
      body: 'unread',
      bodyLimit: MAX_FILE_BYTES,
      response: 'stream',
      maxOpen: MAX_OPEN_SCRUBS,
      timeLimitMs: SCRUB_TIME_LIMIT_MS,
    }),
    ApiTags('Scrubs'),
    ApiOperation({
      operationId: 'createScrub',
      summary: 'Scrub a file of recipients',
      description:
        'Returns the same file, byte for byte, without the rows that must not be mailed. The response is streamed while ' +
        'the file is read, so the client must read while it sends, as curl and fetch do. The file may be the body, or in the ' +
        'field `file` of a form. If the database fails, the connection is cut. A response that ends normally is complete. To ' +
        'get the counts, pass the id from the header `Scrub-Id` to `GET /scrubs/:scrub`. ' +
        CHOOSE_FILE,
      requestBody: fileContent(
        ['text/csv', 'text/plain'],
        'A campaign',
        'name,email\nAda,ada@example.com\nNew,new@example.com\nNobody,nobody\n',
      ),
    }),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'The recipients that may be mailed.',
      headers: { 'Scrub-Id': { schema: { type: 'string', format: 'uuid' } } },
      content: { 'text/csv': { schema: { type: 'string' }, example: 'name,email\nNew,new@example.com\n' } },
    }),
    ApiErrors(
      ValidationError.withExample('mode', 'must be one of filter, annotate'),
      HttpVersionError,
      PayloadTooLargeError,
      { example: () => new FileTypeError(false) },
      UnknownColumnError,
      UnreadableUploadError,
      NoValidAddressError,
      TopicNotFoundError,
      TooManyOpenRequestsError,
    ),
  );
}

export function GetScrub(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Scrubs'),
    ApiOperation({ operationId: 'getScrub', summary: 'Get the counts of a scrub' }),
    ApiParam({
      name: 'scrub',
      type: String,
      description: 'The id from the header `Scrub-Id`.',
      example: ID_EXAMPLE,
    }),
    Responds(HttpStatus.OK, 'The counts.', ScrubDto, EXAMPLE),
    ApiErrors(ScrubNotFoundError),
  );
}
