import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import { AuditLogPageDto } from './audit-log.dto.js';

const [ENTRY] = exampleOf(AuditLogPageDto).data;
const PERSON = { ...ENTRY!.actor, type: 'person', name: 'ada@example.com' } as const;

export const operations = operationsOf('Account', {
  listAuditLog: {
    scope: 'audit:read',
    summary: 'Read the audit log',
    description:
      'Lists changes other than those of the list, such as those of API keys, settings, and provider lists, and who made them. ' +
      'Also lists who signed in to the console, exported the list, scrubbed a file, or read or erased personal data. The newest ' +
      'entry is the first. Suppressions and rules have their own histories. Entries are never deleted.',
    responds: [
      HttpStatus.OK,
      'A page of the log.',
      AuditLogPageDto,
      exampleOf(AuditLogPageDto, { data: [{ ...ENTRY!, actor: PERSON }] }),
    ],
  },
});
