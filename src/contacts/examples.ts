import type { ContactDto, ContactIdDto } from './dto/contact.dto.js';

const EMAIL = 'contact@example.com';

export const CONTACT_PARAM = {
  name: 'contact',
  type: String,
  description: 'An address, percent-encoded, or the id of a contact.',
  example: EMAIL,
};

export const CONTACT_ID: ContactIdDto = { object: 'contact', id: '5d0b6a3e-1c4f-5e7a-8b92-6f3d2c1a0e94' };

export const CREATE_BODY = {
  'A contact': { value: { email: EMAIL } },
  'A contact that has unsubscribed': { value: { email: EMAIL, unsubscribed: true } },
};

export const CONTACT: ContactDto = {
  ...CONTACT_ID,
  email: EMAIL,
  first_name: null,
  last_name: null,
  created_at: '2026-01-15T09:30:00.000Z',
  unsubscribed: true,
  properties: {},
};

export const UPDATE_BODY = {
  Unsubscribe: { value: { unsubscribed: true } },
  'Subscribe again, with a consent, for an account that guards removals': {
    value: {
      unsubscribed: false,
      consent: { kind: 'recipient_request', reference: 'Preference page, 2026-01-15' },
    },
  },
};
