import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { RemovalNotAllowedError } from '../suppressions/errors.js';
import { InvalidContactRef } from '../topics/contact-operations.js';
import { ContactNotFoundError, TopicNotFoundError } from '../topics/errors.js';
import { ContactDto, ContactIdDto } from './dto/contact.dto.js';
import { CreateContactDto } from './dto/create-contact.dto.js';
import { UpdateContactDto } from './dto/update-contact.dto.js';
import * as examples from './examples.js';

export const operations = operationsOf('Contacts', {
  createContact: {
    scope: 'suppressions:write',
    summary: 'Create a contact',
    description:
      'Returns the id of an address, whether or not the contact existed. With `unsubscribed: true`, the address is ' +
      'suppressed with the cause `unsubscribe`. This operation never ends an unsubscribe or an opt-out. Names, properties, ' +
      'and segments are accepted and not stored.',
    body: { type: CreateContactDto, examples: examples.CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The contact exists.', ContactIdDto, examples.CONTACT_ID],
    errors: [TopicNotFoundError],
  },
  getContact: {
    scope: 'suppressions:read',
    summary: 'Get a contact',
    description:
      'Returns whether an address is unsubscribed from everything. Every address that was created as a contact, was ever ' +
      'suppressed, or chose a topic is a contact. The response is not a verdict: an address that is not unsubscribed, or ' +
      'not found, may be blocked by a rule, and may have bounced. Use a check before you send. Reading a contact registers ' +
      'its id, so that later requests can use the id; only if the database is read-only at that moment, the id stays unknown.',
    params: [examples.CONTACT_PARAM],
    responds: [HttpStatus.OK, 'The contact.', ContactDto, examples.CONTACT],
    errors: [InvalidContactRef, ContactNotFoundError],
  },
  updateContact: {
    scope: 'suppressions:write',
    summary: 'Unsubscribe or resubscribe a contact',
    description:
      '`unsubscribed: true` suppresses the address with the cause `unsubscribe`; an address need not be a contact before. ' +
      '`unsubscribed: false` lifts only this cause: a bounce, a complaint, or a manual entry stays. In an account that ' +
      'guards removals, it requires a `consent`. Names and properties are accepted and not stored.',
    params: [examples.CONTACT_PARAM],
    body: { type: UpdateContactDto, examples: examples.UPDATE_BODY },
    responds: [HttpStatus.OK, 'The contact has this state.', ContactIdDto, examples.CONTACT_ID],
    errors: [InvalidContactRef, ContactNotFoundError, RemovalNotAllowedError],
  },
});
