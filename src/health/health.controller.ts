import { Controller, Get } from '@nestjs/common';
import { Route } from '../http/route-options.js';
import { Public } from '../http/routes/access.js';
import { HealthDto } from './health.dto.js';
import * as operations from './operations.js';
import { Readiness } from './readiness.js';

@Controller()
@Route({ body: 'unread' })
@Public('Load balancers and orchestrators have no key, and the response says nothing about any account.')
export class HealthController {
  constructor(private readonly state: Readiness) {}

  @Get('healthz')
  @operations.GetHealth()
  health(): HealthDto {
    return new HealthDto();
  }

  @Get('readyz')
  @operations.GetReadiness()
  readiness(): Promise<HealthDto> {
    return this.state.require().then(() => new HealthDto());
  }
}
