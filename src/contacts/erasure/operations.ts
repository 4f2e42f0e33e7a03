import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { Responds } from '../../http/responses/responds.decorator.js';
import { InvalidContactRef } from '../../topics/contact-operations.js';
import { ContactNotFoundError } from '../../topics/errors.js';
import { CONTACT_PARAM } from '../examples.js';
import { EraseContactDto, ErasureDto } from './erasure.dto.js';
import { MayBeMailedAgainError } from './errors.js';

const BODY = {
  'Erase a suppressed address': {
    value: { keep_block: false, reference: 'Case 4711', accept_may_be_mailed_again: true },
  },
  'Erase an address that may be mailed': { value: { keep_block: false, reference: 'Case 4711' } },
};

const ERASED: ErasureDto = {
  object: 'erasure',
  id: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11',
  status: 'completed',
  keep_block: false,
  pseudonym: 'erased-mfrggzdfmztwq2lknnwg23tpoa@erased.invalid',
  reference: 'Case 4711',
  counts: { suppressions: 1, suppression_changes: 3, delivery_events: 2 },
  actor: { type: 'api_key', id: '0198a5f0-1b2c-7d3e-8f4a-5b6c7d8e9f0a', name: 'privacy' },
  created_at: '2026-01-15T09:30:00.000Z',
  completed_at: '2026-01-15T09:30:00.412Z',
  backups_until: '2026-02-14T09:30:00.412Z',
};

export function EraseContact(): MethodDecorator {
  return applyDecorators(
    RequireScope('contacts:erase'),
    ApiTags('Contacts'),
    ApiOperation({
      operationId: 'eraseContact',
      summary: 'Erase an address',
      description:
        'Deletes the suppression, the choices, and the rules of an address, and replaces the address everywhere else, also where ' +
        'texts about other addresses quote it. **Afterwards, nothing knows that the address must not be mailed.** The feed and ' +
        'webhooks announce `contact.erased`. In a large account, and while an import runs, this takes minutes: then the response ' +
        'has the status 202, and repeating the request returns the state. A request with the same `reference` never erases again, ' +
        'also if the address has come back: then use another reference. The audit log records the erasure without the address.',
    }),
    ApiParam(CONTACT_PARAM),
    ApiBody({ type: EraseContactDto, examples: BODY }),
    Responds(HttpStatus.OK, 'The address is erased.', ErasureDto, ERASED),
    Responds(HttpStatus.ACCEPTED, 'The erasure goes on in the background.', ErasureDto, {
      ...ERASED,
      status: 'erasing',
      completed_at: null,
      backups_until: null,
    }),
    ApiErrors(InvalidContactRef, ContactNotFoundError, MayBeMailedAgainError),
  );
}
