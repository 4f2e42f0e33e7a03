import { applyDecorators, Controller, Get, HttpStatus } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { InternalServerError, ServiceUnavailableError } from '../http/errors/errors.js';
import { ApiErrors, Responds } from '../http/responses/response.decorators.js';
import { Public, Route } from '../http/route.js';
import { Readiness } from './readiness.js';

export class HealthDto {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status = 'ok' as const;
}

const GetHealth = applyDecorators(
  ApiTags('Health'),
  ApiOperation({
    operationId: 'getHealth',
    summary: 'Report that the process is alive',
    description: 'Does not depend on the database.',
    security: [],
  }),
  Responds(HttpStatus.OK, 'The process is alive.', HealthDto),
  ApiErrors(InternalServerError),
);

const GetReadiness = applyDecorators(
  ApiTags('Health'),
  ApiOperation({
    operationId: 'getReadiness',
    summary: 'Report whether the instance can serve requests',
    description:
      'The database is reachable and has every migration of this version, and the instance is not stopping.',
    security: [],
  }),
  Responds(HttpStatus.OK, 'The instance can serve requests.', HealthDto),
  ApiErrors(InternalServerError, ServiceUnavailableError),
);

@Controller()
@Route({ body: 'unread' })
@Public('Load balancers and orchestrators have no key, and the response says nothing about any account.')
export class HealthController {
  constructor(private readonly state: Readiness) {}

  @Get('healthz')
  @GetHealth
  health(): HealthDto {
    return new HealthDto();
  }

  @Get('readyz')
  @GetReadiness
  readiness(): Promise<HealthDto> {
    return this.state.require().then(() => new HealthDto());
  }
}
