import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { Route } from '../http/route-options.js';
import { COUNT_TIME_LIMIT_MS } from './counts.repository.js';
import { CountDto } from './dto/count.dto.js';
import { SummaryDto } from './dto/summary.dto.js';

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

export function CountSuppressions(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    Route({ timeLimitMs: COUNT_TIME_LIMIT_MS }),
    ApiTags('Counts'),
    ApiOperation({
      operationId: 'countSuppressions',
      summary: 'Count suppressions',
      description: 'Returns the exact number of suppressions that match the filter.',
    }),
    ApiResponse({
      status: HttpStatus.OK,
      description: 'The count.',
      type: CountDto,
      examples: {
        total: { summary: 'The total', value: COUNT },
        groups: { summary: 'By cause', value: GROUPED_COUNT },
      },
    }),
    ApiErrors(ValidationError.withExample('group_by', 'must be one of origin, cause, domain, day, month')),
  );
}

export function SummarizeSuppressions(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    Route({ timeLimitMs: COUNT_TIME_LIMIT_MS }),
    ApiTags('Counts'),
    ApiOperation({
      operationId: 'summarizeSuppressions',
      summary: 'Summarize the list',
      description:
        'Returns the total, the totals by cause, the last 30 days by cause, and the largest domains.',
    }),
    Responds(HttpStatus.OK, 'The summary.', SummaryDto, SUMMARY),
  );
}
