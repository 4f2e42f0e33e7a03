import { listOption, parseNumber } from '../source-option.js';

/** Without it, every contact list stands for all mail. */
export const CONTACT_LISTS = listOption({
  name: 'contactLists',
  flag: '--contact-list <number>',
  description: 'Contact list that stands for all mail',
  parse: parseNumber,
});
