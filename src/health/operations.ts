import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiSchema, ApiTags } from '@nestjs/swagger';
import { InternalServerError, ServiceUnavailableError } from '../http/errors/errors.js';
import { ApiErrors, Responds } from '../http/responses/response.decorators.js';

@ApiSchema({ name: 'Health' })
export class HealthDto {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status = 'ok' as const;
}

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
