import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ValidationError } from '../../http/errors/errors.js';
import { Responds } from '../../http/responses/responds.decorator.js';
import { KeptBlocksUnreadableError } from '../../pseudonyms/errors.js';
import { RepeatedErasuresDto, RepeatErasuresDto } from './repeats.dto.js';

const FOUND: RepeatedErasuresDto = {
  object: 'repeated_erasures',
  found: ['erased-mfrggzdfmztwq2lknnwg23tpoa@erased.invalid'],
  reported_since: [],
  next: null,
};

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

export function RepeatErasures(): MethodDecorator {
  return applyDecorators(
    RequireScope('contacts:erase'),
    ApiTags('Contacts'),
    ApiOperation({
      operationId: 'repeatErasures',
      summary: 'Repeat erasures after a restore',
      description:
        'Searches all addresses of the account for those of receipts, and erases them again in the background, as the receipts ' +
        'say. The search takes several requests in a large account: repeat them with `after` until `next` is null. Everything is erased once ' +
        'a whole search finds nothing. An address that only texts quote is not found. One that was suppressed, blocked, or opted out after its complete ' +
        'erasure stays (`reported_since`).',
    }),
    ApiBody({ type: RepeatErasuresDto, examples: BODY }),
    Responds(HttpStatus.OK, 'What was found.', RepeatedErasuresDto, FOUND),
    ApiErrors(
      ValidationError.withExample('receipts', 'must be an array of 1 to 500 receipts'),
      KeptBlocksUnreadableError,
    ),
  );
}
