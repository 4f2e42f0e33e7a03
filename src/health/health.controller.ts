import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiSchema, ApiTags } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Public } from '../api-keys/access.js';
import { countPendingMigrations } from '../database/migrate.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { InternalServerError, ServiceUnavailableError } from '../http/errors.js';

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
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  @Get('healthz')
  @ApiOperation({
    operationId: 'getHealth',
    summary: 'Whether the process lives',
    description: 'It asks nobody, not even the database.',
    security: [],
  })
  @ApiOkResponse({ description: 'It does.', type: HealthDto, example: new HealthDto() })
  health(): HealthDto {
    return new HealthDto();
  }

  @Get('readyz')
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Whether the service can answer',
    description: 'The database is reachable and has every migration of this version.',
    security: [],
  })
  @ApiOkResponse({ description: 'It can.', type: HealthDto, example: new HealthDto() })
  @ApiErrors(ServiceUnavailableError)
  async readiness(): Promise<HealthDto> {
    if ((await countPendingMigrations(this.dataSource)) > 0) {
      throw new ServiceUnavailableError(
        'The database lacks migrations of this version. Run: npm run migrate',
      );
    }
    return new HealthDto();
  }
}
