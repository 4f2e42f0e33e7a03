import { Get } from '@nestjs/common';
import { HtmlPage, type HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { Visitor } from '../../people/sessions.service.js';
import { isBeingCounted, OverviewPage } from './overview.view.js';
import { Overviews } from './overviews.js';

@ConsoleController('overview')
@RequireRole('viewer')
export class OverviewController {
  constructor(private readonly overviews: Overviews) {}

  @Get()
  async show(@CurrentVisitor() visitor: Visitor): Promise<HtmlResponse> {
    const overview = await this.overviews.find(visitor.accountId);
    return new HtmlPage(OverviewPage({ visitor, overview }), { script: isBeingCounted(overview) });
  }
}
