import type { EventResultsDto } from './dto/create-events.dto.js';
import type { EventsPageDto } from './dto/list-events.dto.js';

const SUPPRESSION_ID = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';
const REASON = 'The mailbox does not exist.';
const ONE = {
  type: 'bounce',
  email: 'gone@example.com',
  status: '5.1.1',
  diagnostic: '550 5.1.1 no such user',
};

export const CREATE_BODY = {
  'One event': { value: ONE },
  'Several events': { value: [ONE, { type: 'complaint', email: 'angry@example.com' }] },
};

export const RESULTS: EventResultsDto = {
  data: [{ object: 'event', outcome: 'added', reason: REASON, suppression_id: SUPPRESSION_ID }],
};

export const EVENTS_PAGE: EventsPageDto = {
  object: 'list',
  has_more: false,
  data: [
    {
      object: 'event',
      id: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b',
      kind: 'bounce',
      email: ONE.email,
      source: { id: '0198a5f0-52b3-7a41-8c6d-7e8f9a0b1c2d', name: 'event', provider: 'event' },
      status: ONE.status,
      diagnostic: ONE.diagnostic,
      effect: 'suppress',
      outcome: 'added',
      reason: REASON,
      suppression_id: SUPPRESSION_ID,
      topic: null,
      rule_id: null,
      occurred_at: null,
      received_at: '2026-01-15T09:30:00.000Z',
    },
  ],
};
