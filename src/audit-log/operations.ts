import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { InvalidLimit } from '../http/page.js';
import { AuditLogPageDto } from './audit-log.dto.js';

const PAGE: AuditLogPageDto = {
  object: 'list',
  has_more: false,
  data: [
    {
      object: 'audit_entry',
      id: '0198a5f4-1c7e-7d10-8a3b-5c6d7e8f9a0b',
      action: 'api_key.created',
      subject: { id: '0198a5f4-1c7d-7b2e-9f40-2a3b4c5d6e7f', name: 'mailer' },
      changes: { scopes: { from: null, to: ['suppressions:read'] } },
      actor: { type: 'person', id: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f', name: 'ada@example.com' },
      created_at: '2026-01-15T09:30:00.000Z',
    },
  ],
};

export const operations = operationsOf('Account', {
  listAuditLog: {
    scope: 'audit:read',
    summary: 'Read the audit log',
    description:
      'Lists who changed API keys, people, settings, sources, webhooks, and topics, who signed in to the console, and ' +
      'who exported the list or scrubbed a file, newest first. Suppressions and rules have their own histories. Entries are never ' +
      'deleted.',
    responds: [HttpStatus.OK, 'A page of the log.', AuditLogPageDto, PAGE],
    errors: [InvalidLimit],
  },
});
