import { Controller, Get } from '@nestjs/common';
import { Public, Route } from '../http/route.js';
import { HealthDto } from './operations.js';
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
