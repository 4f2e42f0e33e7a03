import type { BatchAddedDto } from './dto/add.dto.js';
import type { CheckedDto } from './dto/checked.dto.js';
import type { BatchRemovedDto } from './dto/removed.dto.js';
import { ADA, ADA_ID, GRACE, GRACE_ID, SUPPRESSION } from './examples.js';

export const BATCH_ADD_BODY = {
  'Two addresses': { value: { emails: [ADA, GRACE], note: 'Moved from the old system' } },
  'Without a note': { value: { emails: [ADA, GRACE] } },
};

export const BATCH_ADDED: Pick<BatchAddedDto, 'data'> = {
  data: [
    { object: 'suppression', id: ADA_ID },
    { object: 'suppression', id: GRACE_ID },
  ],
};

export const CHECK_BODY = {
  'Three addresses': { value: { emails: [ADA, 'new@example.com', 'not an address'] } },
  'For the mail of a topic': { value: { emails: [ADA], topic: 'news' } },
  'With unsubscribe links': { value: { emails: [ADA, 'new@example.com'], include: ['unsubscribe'] } },
};

export const CHECKED: Omit<CheckedDto, 'writeJson'> = {
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

export const BATCH_REMOVE_BODY = {
  'By address': { value: { emails: [ADA, GRACE], note: 'Asked to be mailed again' } },
  'By id': { value: { ids: [ADA_ID, GRACE_ID] } },
};

export const BATCH_REMOVED: BatchRemovedDto = {
  data: [
    { object: 'suppression', id: ADA_ID, deleted: true },
    { object: 'suppression', id: GRACE_ID, deleted: true },
  ],
};
