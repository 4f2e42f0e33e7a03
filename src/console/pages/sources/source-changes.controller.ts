import { Body, Get, Param, Post } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { Route } from '../../../http/route-options.js';
import { SourceDeletionService } from '../../../inbound/inbox/source-deletion.service.js';
import { SourceChangesService } from '../../../inbound/sources/source-changes.service.js';
import { SourceTopicsService } from '../../../inbound/sources/source-topics.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { Visitor } from '../../people/sessions.service.js';
import { SourcePages } from './source-pages.js';
import { DeleteSourcePage } from './delete-source.view.js';
import { mappingIn } from './source-words.js';

/** A source may have millions of events, and a topic millions of opt-outs. */
const LONG_CHANGE_MS = 10 * 60_000;

@ConsoleController('sources/:source')
@RequireRole('viewer')
export class SourceChangesController {
  constructor(
    private readonly pages: SourcePages,
    private readonly sourceTopics: SourceTopicsService,
    private readonly changes: SourceChangesService,
    private readonly deletion: SourceDeletionService,
  ) {}

  @Post('pause')
  @RequireRole('editor')
  async pause(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('source') id: string,
  ): Promise<HtmlResponse> {
    await this.pages.find(visitor, id);
    await this.changes.pause(context, id);
    return new Done(
      `/console/sources/${id}`,
      'The source is paused. It responds 503, so that the provider keeps its events and retries.',
    );
  }

  @Post('resume')
  @RequireRole('editor')
  async resume(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('source') id: string,
  ): Promise<HtmlResponse> {
    await this.pages.find(visitor, id);
    await this.changes.resume(context, id);
    return new Done(`/console/sources/${id}`, 'The source accepts events again.');
  }

  @Post('secret')
  @RequireRole('admin', { recent: true, keepsForm: true })
  async setSecret(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('source') id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const source = await this.pages.find(visitor, id);
    return submit(
      async () => {
        await this.changes.setSecrets(context, id, { [textOf(form, 'name')]: textOf(form, 'value') });
        return new Done(`/console/sources/${id}`, 'The secret is saved.');
      },
      (problem) => this.pages.page({ visitor, problem }, source),
    );
  }

  @Post('map')
  @RequireRole('editor')
  @Route({ timeLimitMs: LONG_CHANGE_MS })
  async map(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('source') id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const source = await this.pages.find(visitor, id);
    return submit(
      async () => {
        await this.sourceTopics.map(context, source, mappingIn(form));
        return new Done(`/console/sources/${id}`, 'The mapping is saved.');
      },
      (problem) => this.pages.page({ visitor, problem }, source, { query: form }),
    );
  }

  @Get('delete')
  async confirmDeletion(
    @CurrentVisitor() visitor: Visitor,
    @Param('source') id: string,
  ): Promise<HtmlResponse> {
    return DeleteSourcePage({ visitor, source: await this.pages.find(visitor, id) });
  }

  @Post('delete')
  @RequireRole('admin', { recent: true })
  @Route({ timeLimitMs: LONG_CHANGE_MS })
  async delete(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('source') id: string,
  ): Promise<HtmlResponse> {
    const source = await this.pages.find(visitor, id);
    return submit(
      async () => {
        await this.deletion.delete(context, id);
        return new Done('/console/sources', 'The source is deleted.');
      },
      (problem) => this.pages.page({ visitor, problem }, source, {}),
    );
  }
}
