import { option } from './source-option.js';

/** Every provider returns something that a sender can attach to an email. */
export const EMAIL_ID_FIELD = option({
  name: 'emailIdField',
  flag: '--email-id-field <field>',
  description: 'Tag, variable, metadata, or header field with your own UUID of the email',
  parse: (text) => text,
});
