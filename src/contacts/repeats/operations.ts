import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../../api-keys/operations-of.js';
import { ValidationError } from '../../http/errors/errors.js';
import { KeptBlocksUnreadableError } from '../../pseudonyms/errors.js';
import { RepeatedErasuresDto, RepeatErasuresDto } from './repeats.dto.js';

const BODY = {
  'One receipt': {
    value: {
      receipts: [
        {
          pseudonym: 'erased-mfrggzdfmztwq2lknnwg23tpoa@erased.invalid',
          keep_block: true,
          reference: 'Case 4712',
          created_at: '2026-01-15T09:30:00.000Z',
          key: 'q83vEjRWeJCrze8SNFZ4kA==',
        },
      ],
    },
  },
};

export const operations = operationsOf('Contacts', {
  repeatErasures: {
    scope: 'contacts:erase',
    summary: 'Repeat erasures after a restore',
    description:
      'Searches all addresses of the account for those of receipts, and erases them again in the background, as the receipts ' +
      'say. The search takes several requests in a large account: repeat them with `after` until `next` is null. Everything is erased once ' +
      'a whole search finds nothing. An address that only texts quote is not found. One that was suppressed, blocked, or opted out after its complete ' +
      'erasure stays (`reported_since`).',
    body: { type: RepeatErasuresDto, examples: BODY },
    responds: [HttpStatus.OK, 'What was found.', RepeatedErasuresDto],
    errors: [
      ValidationError.withExample('receipts', 'must be an array of 1 to 500 receipts'),
      KeptBlocksUnreadableError,
    ],
  },
});
