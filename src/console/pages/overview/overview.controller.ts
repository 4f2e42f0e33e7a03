import { Get } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { CurrentVisit, type Visit } from '../../access/visit.js';
import { overviewPage } from './overview.view.js';
import { Overviews } from './overviews.js';

@ConsoleController('overview', 'viewer')
export class OverviewController {
  constructor(private readonly overviews: Overviews) {}

  @Get()
  async show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return overviewPage(visit, await this.overviews.find(visit.accountId));
  }
}
