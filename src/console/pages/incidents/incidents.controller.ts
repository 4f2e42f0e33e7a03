import { Get, Param, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { HtmlPage } from '../../../http/responses/html-response.js';
import { IncidentNotFoundError } from '../../../incidents/errors.js';
import type { IncidentDecision } from '../../../incidents/incident-states.js';
import { IncidentsService } from '../../../incidents/incidents.service.js';
import { idPipe } from '../../../validation/id.pipe.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { IncidentsPage } from './incidents.view.js';

const ROWS = 50;
const PATH = '/console/incidents';
const IncidentIdPipe = idPipe(IncidentNotFoundError);

@ConsoleController('incidents')
@RequireRole('viewer')
export class IncidentsPageController {
  constructor(private readonly incidents: IncidentsService) {}

  @Get()
  show(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.page({ visitor }, query);
  }

  @Post(':incident/lift')
  @RequireRole('admin')
  lift(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('incident', IncidentIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.decide(
      visitor,
      context,
      id,
      'lift',
      'The held bounces are being lifted. It takes a few seconds.',
    );
  }

  @Post(':incident/keep')
  @RequireRole('admin')
  keep(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('incident', IncidentIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.decide(visitor, context, id, 'keep', 'The held bounces are kept, like all other bounces.');
  }

  private decide(
    visitor: Visitor,
    context: RequestContext,
    id: string,
    decision: IncidentDecision,
    done: string,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        await this.incidents.decide(context, id, decision);
        return new Done(PATH, done);
      },
      (problem) => this.page({ visitor, problem }, {}),
    );
  }

  private async page(props: PageProps, query: Fields): Promise<HtmlPage> {
    const { accountId } = props.visitor;
    const cursor = await cursorIn(query, ROWS);
    const [undecided, page] = await Promise.all([
      this.incidents.findUndecided(accountId),
      this.incidents.list(accountId, cursor),
    ]);
    const shown = await Promise.all(
      undecided.map(async (incident) => ({ incident, intervals: await this.incidents.bouncesOf(incident) })),
    );
    return new HtmlPage(IncidentsPage({ ...props, shown, page, cursor }));
  }
}
