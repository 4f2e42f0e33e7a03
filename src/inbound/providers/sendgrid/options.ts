import { listOption, parseNumber } from '../source-option.js';

/** Other groups are about some mail only. */
export const UNSUBSCRIBE_GROUPS = listOption({
  name: 'unsubscribeGroups',
  flag: '--unsubscribe-group <number>',
  description: 'Unsubscribe group that stands for all mail',
  parse: parseNumber,
});
