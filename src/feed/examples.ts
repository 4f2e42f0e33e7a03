import type { ChangesPageDto } from './dto/changes.dto.js';

const EMAIL = 'ada@example.com';

export const CURSOR_EXAMPLE = 'AQAAAAEAAAAAAAAAAQGYpfJtHXoQiyKdDE5fans';

export const CHANGES_PAGE: Omit<ChangesPageDto, 'writeJson'> = {
  object: 'list',
  has_more: false,
  cursor: CURSOR_EXAMPLE,
  data: [
    {
      id: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b',
      type: 'suppression.added',
      email: EMAIL,
      revision: 1,
      suppression: {
        object: 'suppression',
        id: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11',
        email: EMAIL,
        origin: 'manual',
        source_id: null,
        created_at: '2026-01-15T09:30:00.000Z',
      },
      causes: ['manual'],
      expires_at: null,
      topic: null,
      actor: { type: 'api_key', id: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f', name: 'support desk' },
      note: 'Asked on the phone',
      lift_id: null,
      created_at: '2026-01-15T09:30:00.000Z',
    },
  ],
};
