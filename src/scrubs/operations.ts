import { HttpCode, HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { CHOOSE_FILE, fileContent } from '../http/body/unread-body.js';
import { FileTypeError, PayloadTooLargeError, UnreadableUploadError } from '../http/errors/body-errors.js';
import { HttpVersionError, TooManyOpenRequestsError, ValidationError } from '../http/errors/errors.js';
import { idParam } from '../http/path-param.js';
import { RespondsWithFile } from '../http/responses/response.decorators.js';
import { FILE_UPLOAD } from '../http/route.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { ScrubDto } from './scrub.dto.js';
import { NoValidAddressError, ScrubNotFoundError, UnknownColumnError } from './errors.js';

/** Each scrub uses up to one core while its file arrives. */
const MAX_OPEN_SCRUBS = 4;

const ID = '0198a5f6-3e4f-7a5b-8c6d-7e8f9a0b1c2d';

export const ScrubId = idParam('scrub', ScrubNotFoundError, {
  description: 'The id from the header `Scrub-Id`.',
  example: ID,
});

const EXAMPLE: ScrubDto = {
  object: 'scrub',
  id: ID,
  status: 'completed',
  rows: 3,
  send: 1,
  suppressed: 1,
  invalid: 1,
  problem: null,
  created_at: '2026-01-15T09:30:00.000Z',
  completed_at: '2026-01-15T09:30:01.000Z',
};

const CAMPAIGN: [string, string] = [
  'A campaign',
  'name,email\nAda,ada@example.com\nNew,new@example.com\nNobody,nobody\n',
];

/** The result has the content type of the file. */
const EXAMPLES = { 'text/csv': 'name,email\nNew,new@example.com\n', 'text/plain': 'new@example.com\n' };

export const operations = operationsOf('Scrubs', {
  createScrub: {
    scope: 'suppressions:check',
    summary: 'Scrub a file of recipients',
    description:
      'Returns the same file, byte for byte, without the rows that must not be mailed. The response is streamed while ' +
      'the file is read, so the client must read while it sends, as curl and fetch do. The file may be the body, or in the ' +
      'field `file` of a form. If the database fails, the connection is cut. A response that ends normally is complete. To ' +
      'get the counts, pass the id from the header `Scrub-Id` to `GET /scrubs/:scrub`. ' +
      CHOOSE_FILE,
    requestBody: fileContent({ 'text/csv': CAMPAIGN, 'text/plain': CAMPAIGN }),
    route: { ...FILE_UPLOAD, response: 'stream', maxOpen: MAX_OPEN_SCRUBS },
    decorators: [
      HttpCode(HttpStatus.OK),
      RespondsWithFile('The recipients that may be mailed.', EXAMPLES, {
        'Scrub-Id': {
          description: 'The id with which `GET /scrubs/:scrub` returns the counts.',
          schema: { type: 'string', format: 'uuid' },
        },
      }),
    ],
    errors: [
      ValidationError.withExample('mode', 'must be one of filter, annotate'),
      HttpVersionError,
      PayloadTooLargeError,
      { example: () => new FileTypeError(false) },
      UnknownColumnError,
      UnreadableUploadError,
      NoValidAddressError,
      TopicNotFoundError,
      TooManyOpenRequestsError,
    ],
  },
  getScrub: {
    scope: 'suppressions:check',
    summary: 'Get the counts of a scrub',
    responds: [HttpStatus.OK, 'The counts.', ScrubDto, EXAMPLE],
  },
});
