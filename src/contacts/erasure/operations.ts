import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../../api-keys/operations-of.js';
import { ValidationError } from '../../http/errors/errors.js';
import { exampleOf, Responds } from '../../http/responses/response.decorators.js';
import { KeptBlocksUnreadableError } from '../../pseudonyms/errors.js';
import { EraseContactDto, ErasureDto, PseudonymKeyDto } from './erasure.dto.js';
import { ErasureInProgressError, MayBeMailedAgainError } from './errors.js';
import { RepeatedErasuresDto, RepeatErasuresDto } from './repeats.dto.js';

const BODY = {
  'Erase a suppressed address': {
    value: { keep_block: false, reference: 'Case 4711', accept_may_be_mailed_again: true },
  },
  'Erase an address and keep it suppressed': { value: { keep_block: true, reference: 'Case 4712' } },
  'Erase an address that may be mailed': { value: { keep_block: false, reference: 'Case 4711' } },
};

const ERASED = exampleOf(ErasureDto, {
  actor: { type: 'api_key', id: '0198a5f0-1b2c-7d3e-8f4a-5b6c7d8e9f0a', name: 'privacy' },
});

const REPEAT_BODY = {
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
  eraseContact: {
    scope: 'contacts:erase',
    summary: 'Erase an address',
    description:
      'Replaces an address everywhere, also where texts about other addresses quote it. With `keep_block: true`, a keyed hash takes ' +
      'its place: the address stays suppressed, with its causes, choices, and history, and callers can still name it, but ' +
      'it can no longer be read. With `keep_block: false`, its suppression, choices, and rules are deleted: ' +
      '**afterwards, nothing knows that the address must not be mailed.** The feed and ' +
      'webhooks announce `contact.erased`. Keeping a block, or deleting one that was kept, takes half a minute; in a large account, ' +
      'or while an import runs, minutes. Then the response has the status 202, and repeating the request returns the state. A request with the same `reference` never erases again, ' +
      'also if the address has come back: then use another reference. The audit log records the erasure without the address.',
    body: { type: EraseContactDto, examples: BODY },
    decorators: [
      Responds(HttpStatus.ACCEPTED, 'The erasure goes on in the background.', ErasureDto, {
        ...ERASED,
        status: 'erasing',
        completed_at: null,
        backups_until: null,
      }),
    ],
    responds: [HttpStatus.OK, 'The address is erased.', ErasureDto, ERASED],
    errors: [MayBeMailedAgainError, ErasureInProgressError, KeptBlocksUnreadableError],
  },
  readPseudonymKey: {
    scope: 'pseudonyms:read',
    summary: 'Read the key of pseudonyms',
    description:
      'The pseudonym of an erased address is `erased-<name>@erased.invalid`: the name is the first 16 bytes of the HMAC-SHA-256 of ' +
      'the address in its normal form under this key, in base32 and lower case (RFC 4648) without padding. With the key, a ' +
      'replica recognizes the erased addresses whose blocks are kept. A filter is the FNV-1a hash of the UTF-16 code units of an ' +
      'address (32 bits), XOR the first 4 bytes of the HMAC of its pseudonym (big-endian): an address whose hash no block has was ' +
      'not erased, so its HMAC need not be computed. **Anybody ' +
      'who has the key and the list can test whether an address was erased**, so keep it like a password.',
    responds: [HttpStatus.OK, 'The key.', PseudonymKeyDto],
    errors: [KeptBlocksUnreadableError],
  },
  repeatErasures: {
    scope: 'contacts:erase',
    summary: 'Repeat erasures after a restore',
    description:
      'Searches all addresses of the account for those of receipts, and erases them again in the background, as the receipts ' +
      'say. The search takes several requests in a large account: repeat them with `after` until `next` is null. Everything is erased once ' +
      'a whole search finds nothing. An address that only texts quote is not found. One that was suppressed, blocked, or opted out after its complete ' +
      'erasure stays (`reported_since`).',
    body: { type: RepeatErasuresDto, examples: REPEAT_BODY },
    responds: [HttpStatus.OK, 'What was found.', RepeatedErasuresDto],
    errors: [
      ValidationError.withExample('receipts', 'must be an array of 1 to 500 receipts'),
      KeptBlocksUnreadableError,
    ],
  },
});
