import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { InvalidLimit } from '../http/page.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import { AuditLogPageDto } from './audit-log.dto.js';

const [ENTRY] = exampleOf(AuditLogPageDto).data;
const PERSON = { ...ENTRY!.actor, type: 'person', name: 'ada@example.com' } as const;

export const operations = operationsOf('Account', {
  listAuditLog: {
    scope: 'audit:read',
    summary: 'Read the audit log',
    description:
      'Lists who changed API keys, people, settings, sources, webhooks, and topics, who signed in to the console, and ' +
      'who exported the list or scrubbed a file, newest first. Suppressions and rules have their own histories. Entries are never ' +
      'deleted.',
    responds: [
      HttpStatus.OK,
      'A page of the log.',
      AuditLogPageDto,
      exampleOf(AuditLogPageDto, { data: [{ ...ENTRY!, actor: PERSON }] }),
    ],
    errors: [InvalidLimit],
  },
});
