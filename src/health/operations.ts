import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { InternalServerError, ServiceUnavailableError } from '../http/errors/errors.js';
import { HealthDto } from './health.dto.js';

export function GetHealth(): MethodDecorator {
  return applyDecorators(
    ApiTags('Health'),
    ApiOperation({
      operationId: 'getHealth',
      summary: 'Report that the process is alive',
      description: 'Does not depend on the database.',
      security: [],
    }),
    ApiOkResponse({ description: 'The process is alive.', type: HealthDto, example: new HealthDto() }),
    ApiErrors(InternalServerError),
  );
}

export function GetReadiness(): MethodDecorator {
  return applyDecorators(
    ApiTags('Health'),
    ApiOperation({
      operationId: 'getReadiness',
      summary: 'Report whether the instance can serve requests',
      description:
        'The database is reachable and has every migration of this version, and the instance is not stopping.',
      security: [],
    }),
    ApiOkResponse({
      description: 'The instance can serve requests.',
      type: HealthDto,
      example: new HealthDto(),
    }),
    ApiErrors(InternalServerError, ServiceUnavailableError),
  );
}
