import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { pathParam } from '../http/path-param.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import { RemovalNotAllowedError } from '../suppressions/errors.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { CONTACT_PARAM } from '../topics/operations.js';
import { ContactDto, ContactIdDto, CreateContactDto, UpdateContactDto } from './contact.dto.js';

const EMAIL = 'contact@example.com';

export const ContactParam = pathParam({ ...CONTACT_PARAM, example: EMAIL });

const CONTACT_ID = exampleOf(ContactIdDto, { id: '5d0b6a3e-1c4f-5e7a-8b92-6f3d2c1a0e94' });

const CREATE_BODY = {
  'A contact': { value: { email: EMAIL } },
  'A contact that has unsubscribed': { value: { email: EMAIL, unsubscribed: true } },
};

const CONTACT = exampleOf(ContactDto, { ...CONTACT_ID, email: EMAIL });

const UPDATE_BODY = {
  Unsubscribe: { value: { unsubscribed: true, note: 'Asked on the phone' } },
  'Subscribe again, with a consent, for an account that guards removals': {
    value: {
      unsubscribed: false,
      consent: { kind: 'recipient_request', reference: 'Preference page, 2026-01-15' },
    },
  },
};

export const operations = operationsOf('Contacts', {
  createContact: {
    scope: 'suppressions:write',
    summary: 'Create a contact',
    description:
      'Returns the id of an address, whether or not the contact existed. With `unsubscribed: true`, the address is ' +
      'suppressed with the cause `unsubscribe`. This operation never ends an unsubscribe or an opt-out. Names, properties, ' +
      'and segments are accepted and not stored.',
    body: { type: CreateContactDto, examples: CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The contact exists.', ContactIdDto, CONTACT_ID],
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
    responds: [HttpStatus.OK, 'The contact.', ContactDto, CONTACT],
  },
  updateContact: {
    scope: 'suppressions:write',
    summary: 'Unsubscribe or resubscribe a contact',
    description:
      '`unsubscribed: true` suppresses the address with the cause `unsubscribe`; an address need not be a contact before. ' +
      'If a request or the recipient has already recorded this cause, nothing changes, and the `note` is not stored. ' +
      '`unsubscribed: false` lifts only this cause: a bounce, a complaint, or a manual entry stays. In an account that ' +
      'guards removals, it requires a `consent`. Names and properties are accepted and not stored.',
    body: { type: UpdateContactDto, examples: UPDATE_BODY },
    responds: [HttpStatus.OK, 'The contact has this state.', ContactIdDto, CONTACT_ID],
    errors: [RemovalNotAllowedError],
  },
});
