import { operationsOf } from '../api-keys/operations-of.js';
import { HttpVersionError, TooManyOpenRequestsError, ValidationError } from '../http/errors/errors.js';
import { RespondsWithFile } from '../http/responses/response.decorators.js';
import { FILE_DOWNLOAD } from '../http/route.js';
import { TopicNotFoundError } from '../topics/errors.js';

/** The formats `csv` (and those of providers), `ndjson`, and the hashes. */
const EXAMPLES = {
  'text/csv':
    'object,id,email,origin,source_id,created_at,cause,causes,expires_at,note\r\n' +
    'suppression,0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11,ada@example.com,manual,,2026-01-15T09:30:00.000Z,manual,manual,,\r\n',
  'application/x-ndjson':
    '{"object":"suppression","id":"0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11","email":"ada@example.com","origin":"manual",' +
    '"source_id":null,"created_at":"2026-01-15T09:30:00.000Z","cause":"manual","causes":["manual"],"expires_at":null,"note":null}\n',
  'text/plain': '3e3417d7ef77d5932a6734b916515ed5\n',
};

export const operations = operationsOf('Exports', {
  exportSuppressions: {
    scope: 'suppressions:read',
    summary: 'Export the list',
    description:
      'Oldest first. Every record that exists during the whole export appears exactly once, even if others are added ' +
      'or removed meanwhile. If the database fails, the connection is cut. A response that ends normally is complete.',
    route: FILE_DOWNLOAD,
    decorators: [
      RespondsWithFile('The list.', EXAMPLES, {
        'Changes-Cursor': {
          description: 'The cursor with which `GET /changes` continues after this export.',
          schema: { type: 'string' },
        },
        'Erased-Count': {
          description:
            'How many records the file lacks because their addresses were erased. 0 with the formats `csv` and `ndjson`, which have ' +
            'the pseudonyms of such addresses: `erased-<name>@erased.invalid`. With `domain`, the file has no erased address, and this ' +
            'is the number of erased addresses of all domains.',
          schema: { type: 'integer' },
        },
      }),
    ],
    errors: [
      HttpVersionError,
      TopicNotFoundError,
      TooManyOpenRequestsError,
      ValidationError.withExample(
        'cause',
        'must be one of bounce, complaint, unsubscribe with format=mailgun',
      ),
    ],
  },
});
