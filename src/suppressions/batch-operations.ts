import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { TopicNotFoundError } from '../topics/errors.js';
import {
  UnsubscribeLinksUnavailableError,
  UnsubscribeMailboxMissingError,
} from '../unsubscribe-links/errors.js';
import { BatchAddDto, BatchAddedDto } from './dto/add.dto.js';
import { CheckDto } from './dto/check.dto.js';
import { CheckedDto } from './dto/checked.dto.js';
import { BatchRemovedDto, BatchRemoveDto } from './dto/remove.dto.js';
import { RemovalNotAllowedError } from './errors.js';
import { ADA, ADA_ID, GRACE, GRACE_ID, SUPPRESSION } from './operations.js';

const BATCH_ADD_BODY = {
  'Two addresses': { value: { emails: [ADA, GRACE], note: 'Moved from the old system' } },
  'Without a note': { value: { emails: [ADA, GRACE] } },
};

const BATCH_ADDED: Pick<BatchAddedDto, 'data'> = {
  data: [
    { object: 'suppression', id: ADA_ID },
    { object: 'suppression', id: GRACE_ID },
  ],
};

const CHECK_BODY = {
  'Three addresses': { value: { emails: [ADA, 'new@example.com', 'not an address'] } },
  'For the mail of a topic': { value: { emails: [ADA], topic: 'news' } },
  'With unsubscribe links': { value: { emails: [ADA, 'new@example.com'], include: ['unsubscribe'] } },
};

const CHECKED: Omit<CheckedDto, 'writeJson'> = {
  object: 'list',
  data: [
    {
      email: ADA,
      verdict: 'suppressed',
      suppression: SUPPRESSION,
      decided_by: { type: 'suppression', id: ADA_ID, cause: 'manual' },
    },
    { email: 'new@example.com', verdict: 'send', suppression: null, decided_by: null },
    { email: 'not an address', verdict: 'invalid', suppression: null, decided_by: null },
  ],
};

const BATCH_REMOVE_BODY = {
  'By address': { value: { emails: [ADA, GRACE], note: 'Asked to be mailed again' } },
  'By id': { value: { ids: [ADA_ID, GRACE_ID] } },
};

const BATCH_REMOVED: BatchRemovedDto = {
  data: [
    { object: 'suppression', id: ADA_ID, deleted: true },
    { object: 'suppression', id: GRACE_ID, deleted: true },
  ],
};

export const batchOperations = operationsOf('Batches', {
  batchAddSuppressions: {
    scope: 'suppressions:write',
    summary: 'Add up to 100 addresses',
    description:
      'Adds all addresses or none: one invalid address fails the request. An address that is already suppressed keeps ' +
      'its id. An address given twice appears twice in the response, with the same id.',
    body: { type: BatchAddDto, examples: BATCH_ADD_BODY },
    responds: [HttpStatus.CREATED, 'All addresses are suppressed.', BatchAddedDto, BATCH_ADDED],
  },
  batchRemoveSuppressions: {
    scope: 'suppressions:write',
    summary: 'Remove up to 100 suppressions',
    description:
      'Takes `emails` or `ids`. Addresses and ids without a suppression are left out of the response. If one removal ' +
      'lacks what the account requires, all are refused.',
    body: { type: BatchRemoveDto, examples: BATCH_REMOVE_BODY },
    responds: [HttpStatus.OK, 'The suppressions that were removed.', BatchRemovedDto, BATCH_REMOVED],
    errors: [
      ValidationError.withExample('ids', 'must be left out if emails is given'),
      RemovalNotAllowedError,
    ],
  },
});

export const checkOperations = operationsOf('Checks', {
  checkEmails: {
    scope: 'suppressions:read',
    summary: 'Check whether up to 1,000 addresses may be mailed',
    description:
      'The verdict depends on the purpose of the email: none, a topic, or transactional. `decided_by` names the ' +
      "reason: a cause of the suppression, the recipient's choice for the topic, the default of the topic, or a rule. " +
      'An invalid address gets its own verdict and does not affect the others.',
    body: { type: CheckDto, examples: CHECK_BODY },
    responds: [HttpStatus.OK, 'A verdict for each address.', CheckedDto, CHECKED],
    errors: [
      ValidationError.withExample('emails', 'must have at most 1000 email addresses'),
      TopicNotFoundError,
      UnsubscribeLinksUnavailableError,
      UnsubscribeMailboxMissingError,
    ],
  },
});
