import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { InternalServerError, ServiceUnavailableError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
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
    Responds(HttpStatus.OK, 'The process is alive.', HealthDto, new HealthDto()),
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
    Responds(HttpStatus.OK, 'The instance can serve requests.', HealthDto, new HealthDto()),
    ApiErrors(InternalServerError, ServiceUnavailableError),
  );
}
