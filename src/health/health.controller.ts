import { Controller, Get } from '@nestjs/common';
import { Public } from '../api-keys/access.js';
import { ApiGetHealth, ApiGetReadiness } from './health.docs.js';
import { HealthDto } from './health.dto.js';
import { Readiness } from './readiness.js';

@Controller()
@Public('Load balancers and orchestrators have no key, and the response says nothing about any account.')
export class HealthController {
  constructor(private readonly state: Readiness) {}

  @Get('healthz')
  @ApiGetHealth()
  health(): HealthDto {
    return new HealthDto();
  }

  @Get('readyz')
  @ApiGetReadiness()
  readiness(): Promise<HealthDto> {
    return this.state.require().then(() => new HealthDto());
  }
}
