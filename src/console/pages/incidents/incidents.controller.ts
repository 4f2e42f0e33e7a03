import { Get, Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { idPipe } from '../../../http/ref.pipe.js';
import { IncidentNotFoundError } from '../../../incidents/errors.js';
import type { IncidentDecision } from '../../../incidents/incident-states.js';
import { IncidentsService } from '../../../incidents/incidents.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readList, type Visit } from '../../access/visit.js';
import { Done, submitChange } from '../../access/submit.js';
import { IncidentsPage } from './incidents.view.js';

const IncidentIdPipe = idPipe(IncidentNotFoundError);

const ROWS = 50;

const DONE: Record<IncidentDecision, string> = {
  lift: 'The held bounces are being lifted. It takes a few seconds.',
  keep: 'The held bounces are kept, like all other bounces.',
};

@ConsoleController('incidents', 'viewer')
export class IncidentsPageController {
  constructor(private readonly incidents: IncidentsService) {}

  @Get()
  async show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const { accountId } = visit;
    const list = await readList(visit, ROWS, (cursor) => this.incidents.list(accountId, cursor));
    const undecided = await this.incidents.findUndecided(accountId);
    const shown = await Promise.all(
      undecided.map(async (incident) => ({ incident, intervals: await this.incidents.bouncesOf(incident) })),
    );
    return IncidentsPage({ visitor: visit, shown, list });
  }

  @Post(':incident/lift')
  @RequireRole('admin')
  lift(@CurrentVisit() visit: Visit, @Param('incident', IncidentIdPipe) id: string): Promise<HtmlResponse> {
    return this.decide(visit, id, 'lift');
  }

  @Post(':incident/keep')
  @RequireRole('admin')
  keep(@CurrentVisit() visit: Visit, @Param('incident', IncidentIdPipe) id: string): Promise<HtmlResponse> {
    return this.decide(visit, id, 'keep');
  }

  private decide(visit: Visit, id: string, decision: IncidentDecision): Promise<HtmlResponse> {
    const decide = () => this.incidents.decide(visit.context, id, decision);
    const done = new Done('/console/incidents', DONE[decision]);
    return submitChange(visit, decide, done, (refused) => this.show(refused));
  }
}
