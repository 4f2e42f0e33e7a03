import { Get, Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { Route } from '../../../http/route.js';
import { SourceChangesService } from '../../../inbound/sources/source-changes.service.js';
import { SourceTopicsService } from '../../../inbound/sources/source-topics.service.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, submit, type Visit } from '../../access/visit.js';
import { textOf } from '../../components/form.js';
import { DeleteSourcePage } from './sources.view.js';
import { SourcePages } from './source-pages.js';
import { mappingIn } from './source-words.js';

/** A source may have millions of events, and a topic millions of opt-outs. */
const LONG_CHANGE_MS = 10 * 60_000;

@ConsoleController('sources/:source', 'viewer')
export class SourceChangesController {
  constructor(
    private readonly pages: SourcePages,
    private readonly sourceTopics: SourceTopicsService,
    private readonly changes: SourceChangesService,
  ) {}

  @Post('pause')
  @RequireRole('editor')
  pause(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.change(
      visit,
      id,
      'The source is paused. It responds 503, so that the provider keeps its events and retries.',
      () => this.changes.pause(visit.context, id),
    );
  }

  @Post('resume')
  @RequireRole('editor')
  resume(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'The source accepts events again.', () =>
      this.changes.resume(visit.context, id),
    );
  }

  @Post('secret')
  @RequireRole('admin', { recent: true, keepsForm: true })
  setSecret(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'The secret is saved.', () =>
      this.changes.setSecrets(visit.context, id, {
        [textOf(visit.form, 'name')]: textOf(visit.form, 'value'),
      }),
    );
  }

  @Post('map')
  @RequireRole('editor')
  @Route({ timeLimitMs: LONG_CHANGE_MS })
  map(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'The mapping is saved.', (source) =>
      this.sourceTopics.map(visit.context, source, mappingIn(visit.form)),
    );
  }

  @Get('delete')
  async confirmDeletion(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return DeleteSourcePage({ visitor: visit, source: await this.pages.find(visit, id) });
  }

  @Post('delete')
  @RequireRole('admin', { recent: true })
  @Route({ timeLimitMs: LONG_CHANGE_MS })
  delete(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.submit(visit, id, async () => {
      await this.changes.delete(visit.context, id);
      return new Done('/console/sources', 'The source is deleted.');
    });
  }

  private change(
    visit: Visit,
    id: string,
    done: string,
    work: (source: Source) => Promise<unknown>,
  ): Promise<HtmlResponse> {
    return this.submit(visit, id, async (source) => {
      await work(source);
      return new Done(`/console/sources/${id}`, done);
    });
  }

  private async submit(visit: Visit, id: string, handle: (source: Source) => Promise<HtmlResponse>) {
    const source = await this.pages.find(visit, id);
    return submit(
      visit,
      () => handle(source),
      (refused) => this.pages.page(refused, source),
    );
  }
}
