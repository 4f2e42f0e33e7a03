import { Get, Param, Post } from '@nestjs/common';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { apiError } from '../../../http/errors/api-error.js';
import { idPipe } from '../../../http/ref.pipe.js';
import { HtmlPage, SeeOther, type HtmlResponse } from '../../../http/responses/html-response.js';
import { LiftLinesDto } from '../../../lifts/dto/lift-line.dto.js';
import { ApplyLiftDto, CreateLiftDto } from '../../../lifts/dto/lift-requests.dto.js';
import { LiftCursorDto } from '../../../lifts/dto/lift.dto.js';
import { LiftNotFoundError } from '../../../lifts/errors.js';
import { LiftsService } from '../../../lifts/lifts.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, submit, type Visit } from '../../access/visit.js';
import { textOf, type Fields } from '../../components/form.js';
import { consentIn } from '../search/consent.view.js';
import { mayLiftMany } from '../search/lift-permission.js';
import { isUnderWay } from './lift-words.js';
import { LiftPage } from './lift.view.js';
import { LiftsPage } from './lifts.view.js';
import { LinesPage } from './lines.view.js';
import { Recorders } from './recorders.js';

const LiftIdPipe = idPipe(LiftNotFoundError);

/** The account guards removals, and the person is not an admin. */
export class MassLiftNotAllowedError extends apiError(
  403,
  'mass_lift_not_allowed',
  'Nothing was changed: this account guards removals, so only an admin may do this.',
) {}

const LIFTS = '20';
const LINES = '50';
const LOCAL_TIME = /T\d\d:\d\d(?::\d\d)?$/;

@ConsoleController('lifts', 'viewer')
export class LiftsPageController {
  constructor(
    private readonly lifts: LiftsService,
    private readonly accounts: AccountsService,
    private readonly recorders: Recorders,
  ) {}

  @Get()
  list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.listPage(visit, visit.query);
  }

  @Post()
  @RequireRole('editor')
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        await this.requireLifter(visit);
        const asked = await readAs(CreateLiftDto, conditionsIn(visit.form));
        const { id } = await this.lifts.create(visit.context, asked.toQuery());
        return new SeeOther(`/console/lifts/${id}`);
      },
      (refused) => this.listPage(refused, visit.form),
    );
  }

  @Get(':lift')
  async show(@CurrentVisit() visit: Visit, @Param('lift', LiftIdPipe) id: string): Promise<HtmlResponse> {
    const lift = await this.lifts.get(visit.accountId, id);
    const recorders = await this.recorders.choices(visit.accountId, '');
    const isGuarded = await this.isGuarded(visit);
    return new HtmlPage(LiftPage({ visitor: visit, lift, recorders, isGuarded }), {
      script: isUnderWay(lift.status),
    });
  }

  @Get(':lift/lines')
  async lines(@CurrentVisit() visit: Visit, @Param('lift', LiftIdPipe) id: string): Promise<HtmlResponse> {
    const asked = await readAs(LiftLinesDto, { after: textOf(visit.query, 'after'), limit: LINES });
    const lift = await this.lifts.get(visit.accountId, id);
    const page = await this.lifts.listLines(visit.accountId, id, asked);
    return LinesPage({ visitor: visit, lift, page, after: asked.after });
  }

  @Post(':lift/apply')
  @RequireRole('editor')
  apply(@CurrentVisit() visit: Visit, @Param('lift', LiftIdPipe) id: string): Promise<HtmlResponse> {
    return this.change(visit, id, async () => {
      const confirm = Number(textOf(visit.form, 'confirm'));
      const asked = await readAs(ApplyLiftDto, { confirm, consent: consentIn(visit.form) });
      await this.lifts.apply(visit.context, id, asked.toApplication());
    });
  }

  @Post(':lift/revert')
  @RequireRole('editor')
  revert(@CurrentVisit() visit: Visit, @Param('lift', LiftIdPipe) id: string): Promise<HtmlResponse> {
    return this.change(visit, id, () => this.lifts.revert(visit.context, id));
  }

  private change(visit: Visit, id: string, work: () => Promise<unknown>): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        await this.requireLifter(visit);
        await work();
        return new SeeOther(`/console/lifts/${id}`);
      },
      (refused) => this.show(refused, id),
    );
  }

  /** @throws {MassLiftNotAllowedError} */
  private async requireLifter(visit: Visit): Promise<void> {
    if (!mayLiftMany(visit, await this.isGuarded(visit))) {
      throw new MassLiftNotAllowedError();
    }
  }

  private async isGuarded({ accountId }: Visit): Promise<boolean> {
    return (await this.accounts.getById(accountId)).removal === 'guarded';
  }

  /** @param conditions - what the form is filled with */
  private async listPage(visit: Visit, conditions: Fields): Promise<HtmlResponse> {
    const { accountId, query } = visit;
    const cursor = await readAs(LiftCursorDto, { after: textOf(query, 'after'), limit: LIFTS });
    const page = await this.lifts.list(accountId, cursor.limit, cursor.after);
    const recorders = await this.recorders.choices(accountId, textOf(conditions, 'actor'));
    const isGuarded = await this.isGuarded(visit);
    return LiftsPage({ visitor: visit, list: { ...page, cursor }, conditions, recorders, isGuarded });
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
