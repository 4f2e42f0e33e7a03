import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { HtmlPage, SeeOther, type HtmlResponse } from '../../../http/responses/html-response.js';
import { ApplyLiftDto } from '../../../lifts/dto/apply-lift.dto.js';
import { CreateLiftDto } from '../../../lifts/dto/create-lift.dto.js';
import { LiftLinesDto } from '../../../lifts/dto/lift-line.dto.js';
import { LiftCursorDto } from '../../../lifts/dto/lift.dto.js';
import { LiftIdPipe } from '../../../lifts/lift-id.pipe.js';
import { LiftsService } from '../../../lifts/lifts.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { readAs, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { consentIn } from '../search/consent-fields.view.js';
import { mayLiftMany } from '../search/lift-permission.js';
import { MassLiftNotAllowedError } from './errors.js';
import { isUnderWay } from './lift-words.js';
import { LiftPage } from './lift.view.js';
import { LiftsPage } from './lifts.view.js';
import { LinesPage } from './lines.view.js';
import { Recorders } from './recorders.js';

const LIFTS = '20';
const LINES = '50';
const LOCAL_TIME = /T\d\d:\d\d(?::\d\d)?$/;

@ConsoleController('lifts')
@RequireRole('viewer')
export class LiftsPageController {
  constructor(
    private readonly lifts: LiftsService,
    private readonly accounts: AccountsService,
    private readonly recorders: Recorders,
  ) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.listPage({ visitor }, query, textOf(query, 'after'));
  }

  @Post()
  @RequireRole('editor')
  create(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        await this.requireLifter(visitor);
        const { id } = await this.lifts.create(
          context,
          (await readAs(CreateLiftDto, conditionsIn(form))).toQuery(),
        );
        return new SeeOther(`/console/lifts/${id}`);
      },
      (problem) => this.listPage({ visitor, problem }, form),
    );
  }

  @Get(':lift')
  show(@CurrentVisitor() visitor: Visitor, @Param('lift', LiftIdPipe) id: string): Promise<HtmlResponse> {
    return this.liftPage({ visitor }, id);
  }

  @Get(':lift/lines')
  async lines(
    @CurrentVisitor() visitor: Visitor,
    @Param('lift', LiftIdPipe) id: string,
    @Query() query: Fields,
  ): Promise<HtmlResponse> {
    const asked = await readAs(LiftLinesDto, { after: textOf(query, 'after'), limit: LINES });
    const lift = await this.lifts.get(visitor.accountId, id);
    const page = await this.lifts.listLines(visitor.accountId, id, asked);
    return LinesPage({ visitor, lift, page, after: asked.after });
  }

  @Post(':lift/apply')
  @RequireRole('editor')
  apply(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('lift', LiftIdPipe) id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, form, async () => {
      const confirm = Number(textOf(form, 'confirm'));
      const asked = await readAs(ApplyLiftDto, { confirm, consent: consentIn(form) });
      await this.lifts.apply(context, id, asked.toApplication());
    });
  }

  @Post(':lift/revert')
  @RequireRole('editor')
  revert(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('lift', LiftIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, {}, () => this.lifts.revert(context, id));
  }

  private change(
    visitor: Visitor,
    id: string,
    entered: Fields,
    work: () => Promise<unknown>,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        await this.requireLifter(visitor);
        await work();
        return new SeeOther(`/console/lifts/${id}`);
      },
      (problem) => this.liftPage({ visitor, problem }, id, entered),
    );
  }

  /** @throws {MassLiftNotAllowedError} */
  private async requireLifter(visitor: Visitor): Promise<void> {
    if (!mayLiftMany(visitor, await this.isGuarded(visitor))) {
      throw new MassLiftNotAllowedError();
    }
  }

  private async isGuarded({ accountId }: Visitor): Promise<boolean> {
    return (await this.accounts.getById(accountId)).removal === 'guarded';
  }

  private async listPage(props: PageProps, entered: Fields, cursor = '') {
    const { visitor } = props;
    const { after, limit } = await readAs(LiftCursorDto, { after: cursor, limit: LIFTS });
    const page = await this.lifts.list(visitor.accountId, limit, after);
    const recorders = await this.recorders.choices(visitor.accountId, textOf(entered, 'actor'));
    const isGuarded = await this.isGuarded(visitor);
    return LiftsPage({ ...props, page, after, entered, recorders, isGuarded });
  }

  private async liftPage(props: PageProps, id: string, entered?: Fields): Promise<HtmlPage> {
    const { visitor } = props;
    const lift = await this.lifts.get(visitor.accountId, id);
    const recorders = await this.recorders.choices(visitor.accountId, '');
    const isGuarded = await this.isGuarded(visitor);
    return new HtmlPage(LiftPage({ ...props, lift, recorders, isGuarded, entered }), {
      script: isUnderWay(lift.status),
    });
  }
}

/** The form as the API reads it. Its times are in UTC. */
function conditionsIn(form: Fields): Record<string, unknown> {
  const domains = textOf(form, 'domains')
    .split(/[\s,;]+/)
    .filter(Boolean);
  return {
    cause: textOf(form, 'cause'),
    created_after: inUtc(textOf(form, 'created_after')),
    created_before: inUtc(textOf(form, 'created_before')),
    actor: textOf(form, 'actor'),
    diagnostic: textOf(form, 'diagnostic'),
    ...(domains.length > 0 && { domains }),
  };
}

function inUtc(time: string): string {
  return LOCAL_TIME.test(time) ? `${time}Z` : time;
}
