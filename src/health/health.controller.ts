import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiSchema, ApiTags } from '@nestjs/swagger';
import { Public } from '../api-keys/access.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { InternalServerError, ServiceUnavailableError } from '../http/errors.js';
import { Readiness } from './readiness.js';

@ApiSchema({ name: 'Health' })
class HealthDto {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status = 'ok' as const;
}

@ApiTags('Health')
@Public('Load balancers and orchestrators have no key, and the response says nothing about any account.')
@ApiErrors(InternalServerError)
@Controller()
export class HealthController {
  constructor(private readonly state: Readiness) {}

  @Get('healthz')
  @ApiOperation({
    operationId: 'getHealth',
    summary: 'Report that the process is alive',
    description: 'Does not depend on the database.',
    security: [],
  })
  @ApiOkResponse({ description: 'The process is alive.', type: HealthDto, example: new HealthDto() })
  health(): HealthDto {
    return new HealthDto();
  }

  @Get('readyz')
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Report whether the instance can serve requests',
    description:
      'The database is reachable and has every migration of this version, and the instance is not stopping.',
    security: [],
  })
  @ApiOkResponse({
    description: 'The instance can serve requests.',
    type: HealthDto,
    example: new HealthDto(),
  })
  @ApiErrors(ServiceUnavailableError)
  async readiness(): Promise<HealthDto> {
    await this.state.require();
    return new HealthDto();
  }
}
