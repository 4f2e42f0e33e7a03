import type { ImportDto, ImportsPageDto } from './dto/import.dto.js';

export const IMPORT_PARAM = {
  name: 'import',
  type: String,
  description: 'The id of the import.',
  example: '0198a5f4-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
};

export const FILE =
  'address,code,error,created_at\ngone@example.com,550,No such mailbox,"Fri, 21 Oct 2011 11:02:55 GMT"\n';

export const QUEUED: ImportDto = {
  object: 'import',
  id: IMPORT_PARAM.example,
  name: null,
  filename: 'example.com_bounces.csv',
  status: 'queued',
  format: 'mailgun-bounces',
  topic: null,
  dry_run: false,
  bytes: 110,
  rows: 0,
  added: 0,
  strengthened: 0,
  unchanged: 0,
  skipped: {},
  invalid: 0,
  reverted: 0,
  kept: 0,
  error: null,
  created_at: '2026-01-15T09:30:00.000Z',
  completed_at: null,
};

export const COMPLETED: ImportDto = {
  ...QUEUED,
  status: 'completed',
  rows: 1,
  added: 1,
  completed_at: '2026-01-15T09:30:01.000Z',
};

export const PAGE: ImportsPageDto = { object: 'list', has_more: false, data: [COMPLETED] };

export const ERRORS =
  'line,code,value\r\n7,invalid_email,ada@example\r\n9,ambiguous_date,12/31/2020 (bob@example.com)\r\n';
