import { Get } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { Visitor } from '../../people/sessions.service.js';
import { SearchPage } from './search.view.js';

@ConsoleController()
@RequireRole('viewer')
export class SearchController {
  @Get()
  show(@CurrentVisitor() visitor: Visitor): HtmlResponse {
    return SearchPage({ visitor });
  }
}
