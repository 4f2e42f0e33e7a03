import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../../api-keys/operations-of.js';
import { HttpVersionError, TooManyOpenRequestsError } from '../../http/errors/errors.js';
import { Responds } from '../../http/responses/response.decorators.js';
import type { StreamOptions } from '../../http/responses/send-stream.js';
import { FILE_DOWNLOAD, type RouteOptions } from '../../http/route.js';
import { ContactDataDto } from './contact-data.dto.js';

/** Reading all rows of an account with ten million takes minutes. */
const TIME_LIMIT_MS = 15 * 60 * 1000;

export const CONTACT_DATA_ROUTE: Partial<RouteOptions> = { ...FILE_DOWNLOAD, timeLimitMs: TIME_LIMIT_MS };

export const CONTACT_DATA_FILE: StreamOptions = {
  contentType: 'application/json; charset=utf-8',
  filename: 'contact-data.json',
  isSlow: true,
};

export const operations = operationsOf('Contacts', {
  readContactData: {
    scope: 'contacts:read',
    summary: 'Read all data about an address',
    description:
      'Returns every row of every table that is about an address or quotes it, where the rows come from, and how long ' +
      'they are kept, for a request for access (Art. 15 GDPR). Rows about other addresses (`is_quote`) contain only their key ' +
      'and the texts that quote the address. In all texts, `[another address]` stands for other addresses. An address about which nothing is known has empty tables. ' +
      'The request reads the primary database, and takes minutes in an account with millions of events. If the database ' +
      'fails, the connection is cut. A response that ends normally is complete. The audit log records the request without the address.',
    route: CONTACT_DATA_ROUTE,
    decorators: [Responds(HttpStatus.OK, 'The data.', ContactDataDto)],
    errors: [HttpVersionError, TooManyOpenRequestsError],
  },
});
