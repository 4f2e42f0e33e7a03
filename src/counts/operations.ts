import { HttpStatus } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { COUNT_TIME_LIMIT_MS } from './counts.repository.js';
import { CountDto, SummaryDto } from './counts.dto.js';

const COUNT: CountDto = { object: 'count', total: 3 };

const GROUPED_COUNT: CountDto = {
  ...COUNT,
  groups: [
    { key: 'bounce', count: 2 },
    { key: 'complaint', count: 1 },
  ],
};

const SUMMARY: SummaryDto = {
  object: 'summary',
  total: 3,
  causes: { bounce: 2, manual: 0, unsubscribe: 0, complaint: 1 },
  days: [{ day: '2026-01-15', bounce: 2, manual: 0, unsubscribe: 0, complaint: 1 }],
  domains: [{ key: 'example.com', count: 3 }],
};

export const operations = operationsOf('Counts', {
  countSuppressions: {
    scope: 'suppressions:read',
    summary: 'Count suppressions',
    description: 'Returns the exact number of suppressions that match the filter.',
    route: { timeLimitMs: COUNT_TIME_LIMIT_MS },
    decorators: [
      ApiResponse({
        status: HttpStatus.OK,
        description: 'The count.',
        type: CountDto,
        examples: {
          total: { summary: 'The total', value: COUNT },
          groups: { summary: 'By cause', value: GROUPED_COUNT },
        },
      }),
    ],
    errors: [ValidationError.withExample('group_by', 'must be one of origin, cause, domain, day, month')],
  },
  summarizeSuppressions: {
    scope: 'suppressions:read',
    summary: 'Summarize the list',
    description:
      'Returns the total, the totals by cause, the last 30 days by cause, and the largest domains.',
    route: { timeLimitMs: COUNT_TIME_LIMIT_MS },
    responds: [HttpStatus.OK, 'The summary.', SummaryDto, SUMMARY],
  },
});
