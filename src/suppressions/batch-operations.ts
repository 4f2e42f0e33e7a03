import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { TopicNotFoundError } from '../topics/errors.js';
import {
  UnsubscribeLinksUnavailableError,
  UnsubscribeMailboxMissingError,
} from '../unsubscribe-links/errors.js';
import * as examples from './batch-examples.js';
import { BatchAddDto, BatchAddedDto } from './dto/add.dto.js';
import { CheckDto } from './dto/check.dto.js';
import { CheckedDto } from './dto/checked.dto.js';
import { BatchRemoveDto } from './dto/remove.dto.js';
import { BatchRemovedDto } from './dto/removed.dto.js';
import { RemovalNotAllowedError } from './errors.js';

export const operations = operationsOf('Batches', {
  batchAddSuppressions: {
    scope: 'suppressions:write',
    summary: 'Add up to 100 addresses',
    description:
      'Adds all addresses or none: one invalid address fails the request. An address that is already suppressed keeps ' +
      'its id. An address given twice appears twice in the response, with the same id.',
    body: { type: BatchAddDto, examples: examples.BATCH_ADD_BODY },
    responds: [HttpStatus.CREATED, 'All addresses are suppressed.', BatchAddedDto, examples.BATCH_ADDED],
  },
  batchRemoveSuppressions: {
    scope: 'suppressions:write',
    summary: 'Remove up to 100 suppressions',
    description:
      'Takes `emails` or `ids`. Addresses and ids without a suppression are left out of the response. If one removal ' +
      'lacks what the account requires, all are refused.',
    body: { type: BatchRemoveDto, examples: examples.BATCH_REMOVE_BODY },
    responds: [HttpStatus.OK, 'The suppressions that were removed.', BatchRemovedDto, examples.BATCH_REMOVED],
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
    body: { type: CheckDto, examples: examples.CHECK_BODY },
    responds: [HttpStatus.OK, 'A verdict for each address.', CheckedDto, examples.CHECKED],
    errors: [
      ValidationError.withExample('emails', 'must have at most 1000 email addresses'),
      TopicNotFoundError,
      UnsubscribeLinksUnavailableError,
      UnsubscribeMailboxMissingError,
    ],
  },
});
