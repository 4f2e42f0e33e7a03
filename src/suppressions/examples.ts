import type { EmailAddress } from '../email-address/email-address.js';
import type { HistoryPageDto } from './dto/history.dto.js';
import type { ListPageDto } from './dto/list.dto.js';
import type { RemovedDto } from './dto/removed.dto.js';
import type { SuppressionDto, SuppressionIdDto } from './dto/suppression.dto.js';

/*
 * The examples in the API documentation. "Try it out" works with them unchanged from the top of the page to the bottom: an
 * address is added before it is read, and read before it is removed.
 */
export const ADA = 'ada@example.com' as EmailAddress;
export const GRACE = 'grace@example.com' as EmailAddress;
export const ADA_ID = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';
export const GRACE_ID = '0198a5f2-6d1c-7d52-8c0b-5e6f7a8b9c0d';
const KEY = { type: 'api_key', id: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f', name: 'support desk' } as const;

export const SUPPRESSION_ID: SuppressionIdDto = { object: 'suppression', id: ADA_ID };

export const SUPPRESSION: SuppressionDto = {
  ...SUPPRESSION_ID,
  email: ADA,
  origin: 'manual',
  source_id: null,
  created_at: '2026-01-15T09:30:00.000Z',
};

export const REF_PARAM = {
  name: 'suppression',
  type: String,
  description: 'The id or the address of the suppression.',
  example: ADA,
};

export const ADD_BODY = {
  'One address': { value: { email: ADA, note: 'Asked on the phone' } },
  'Without a note': { value: { email: ADA } },
  'For a while': { value: { email: ADA, note: 'On leave', expires_at: '2999-12-31T00:00:00Z' } },
};

export const LIST_PAGE: Omit<ListPageDto, 'writeJson'> = {
  object: 'list',
  has_more: false,
  data: [
    {
      object: 'suppression',
      id: GRACE_ID,
      email: GRACE,
      origin: 'bounce',
      source_id: '0198a5ee-40b1-7f6a-9b3c-2d4e6f8a0b1c',
      created_at: '2026-01-15T09:31:00.000Z',
    },
    SUPPRESSION,
  ],
};

export const REMOVE_BODY = {
  'With a note': { value: { note: 'Asked to be mailed again' } },
  'With a consent, for an account that guards removals': {
    value: { consent: { kind: 'recipient_request', reference: 'Support case 4711' } },
  },
  'Without a note': { value: {} },
};

export const REMOVED: RemovedDto = { ...SUPPRESSION_ID, deleted: true };

export const HISTORY_PAGE: HistoryPageDto = {
  object: 'list',
  has_more: false,
  data: [
    {
      object: 'change',
      id: '0198a6c1-09f3-7e21-b7a4-6c8d0e2f4a5b',
      action: 'removed',
      suppression_id: ADA_ID,
      topic: null,
      email: ADA,
      cause: 'manual',
      origin: 'manual',
      source_id: null,
      actor: KEY,
      note: 'Asked to be mailed again',
      evidence: null,
      lift_id: null,
      expires_at: null,
      event_id: null,
      occurred_at: null,
      created_at: '2026-01-15T13:15:40.000Z',
    },
    {
      object: 'change',
      id: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b',
      action: 'added',
      suppression_id: ADA_ID,
      topic: null,
      email: ADA,
      cause: 'manual',
      origin: 'manual',
      source_id: null,
      actor: KEY,
      note: 'Asked on the phone',
      evidence: null,
      lift_id: null,
      expires_at: null,
      event_id: null,
      occurred_at: null,
      created_at: '2026-01-15T09:30:00.000Z',
    },
  ],
};
