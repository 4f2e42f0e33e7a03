import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { ApiKeysService } from '../../../api-keys/api-keys.service.js';
import { apiKeyName, sourceName } from '../../../audit/actor.js';
import { apiError } from '../../../http/errors/api-error.js';
import { MAX_LIMIT } from '../../../http/page.js';
import { SeeOther, type HtmlResponse } from '../../../http/responses/html-response.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { titleOf } from '../../../lifts/lift.js';
import { LiftLinesDto } from '../../../lifts/dto/lift-line.dto.js';
import { ApplyLiftDto, CreateLiftDto } from '../../../lifts/dto/lift-requests.dto.js';
import { LiftsService } from '../../../lifts/lifts.service.js';
import { LiftId } from '../../../lifts/operations.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, readList, submit, type Visit } from '../../access/visit.js';
import { ConsolePage } from '../../components/console-page.js';
import { Card } from '../../components/content.js';
import { justBefore, textOf, type Fields } from '../../components/form.js';
import type { Choices } from '../../components/inputs.js';
import { LinePager, ListPage } from '../../components/list.js';
import { PeopleService } from '../../people/people.service.js';
import { consentIn, mayLiftMany } from '../../components/consent.js';
import { LiftForm } from './lift-form.view.js';
import { conditionsText, LiftBadge, LiftPage, LinesTable } from './lift.view.js';

/** The account guards removals, and the person is not an admin. */
export class MassLiftNotAllowedError extends apiError(
  403,
  'mass_lift_not_allowed',
  'Nothing was changed: this account guards removals, so only an admin may do this.',
) {}

const LIFTS = 20;
const LINES = '50';
const LOCAL_TIME = /T\d\d:\d\d(?::\d\d)?$/;

@ConsoleController('lifts', 'viewer')
export class LiftsPageController {
  constructor(
    private readonly lifts: LiftsService,
    private readonly accounts: AccountsService,
    private readonly sources: SourcesService,
    private readonly apiKeys: ApiKeysService,
    private readonly people: PeopleService,
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
  async show(@CurrentVisit() visit: Visit, @LiftId id: string): Promise<HtmlResponse> {
    const lift = await this.lifts.get(visit.accountId, id);
    const recorders = await this.recorders(visit.accountId, '');
    const isGuarded = await this.isGuarded(visit);
    return LiftPage({ visitor: visit, lift, recorders, isGuarded });
  }

  @Get(':lift/lines')
  async lines(@CurrentVisit() visit: Visit, @LiftId id: string): Promise<HtmlResponse> {
    const asked = await readAs(LiftLinesDto, { after: textOf(visit.query, 'after'), limit: LINES });
    const lift = await this.lifts.get(visit.accountId, id);
    const page = await this.lifts.listLines(visit.accountId, id, asked);
    const path = `/console/lifts/${id}`;
    return (
      <ConsolePage
        visitor={visit}
        title={`Suppressions of the ${titleOf(lift).toLowerCase().replace('utc', 'UTC')}`}
        section="/console/lifts"
        actions={
          <a class="button" href={path}>
            Back to the lift
          </a>
        }
      >
        <Card>
          <LinesTable caption="Suppressions" lines={page.elements} />
          <LinePager
            path={`${path}/lines`}
            isLater={Boolean(asked.after)}
            next={page.hasMore ? String(page.elements.at(-1)?.number) : undefined}
          />
        </Card>
      </ConsolePage>
    );
  }

  @Post(':lift/apply')
  @RequireRole('editor')
  apply(@CurrentVisit() visit: Visit, @LiftId id: string): Promise<HtmlResponse> {
    return this.change(visit, id, async () => {
      const confirm = Number(textOf(visit.form, 'confirm'));
      const asked = await readAs(ApplyLiftDto, { confirm, consent: consentIn(visit.form) });
      await this.lifts.apply(visit.context, id, asked.toApplication());
    });
  }

  @Post(':lift/revert')
  @RequireRole('editor')
  revert(@CurrentVisit() visit: Visit, @LiftId id: string): Promise<HtmlResponse> {
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

  /** @param conditions - the values with which the form is filled in */
  private async listPage(visit: Visit, conditions: Fields): Promise<HtmlResponse> {
    const { accountId } = visit;
    const list = await readList(visit, LIFTS, ({ limit, after }) => this.lifts.list(accountId, limit, after));
    const recorders = await this.recorders(accountId, textOf(conditions, 'actor'));
    const isGuarded = await this.isGuarded(visit);
    return (
      <ListPage
        visitor={visit}
        title="Undo a mistake"
        path="/console/lifts"
        intro="A script, a colleague, or the outage of a mail provider can suppress thousands of people by mistake. Find them, look at them, and lift all of them at once. Spam complaints and unsubscribes are never lifted."
        above={
          mayLiftMany(visit, isGuarded) ? (
            <LiftForm conditions={conditions} recorders={recorders} />
          ) : (
            <p class="muted">
              {isGuarded ? 'This account guards removals, so only an admin' : 'Only an editor or an admin'}{' '}
              may do this.
            </p>
          )
        }
        listTitle="Earlier lifts"
        caption="Lifts"
        list={list}
        isForwardOnly
        columns={{
          Lift: (lift) => <a href={`/console/lifts/${lift.id}`}>{titleOf(lift)}</a>,
          Status: ({ status }) => <LiftBadge status={status} />,
          Found: ({ progress }) => progress.count.lines.toLocaleString('en'),
          Of: (lift) => conditionsText(lift.query, recorders),
        }}
        numbers={['Found']}
        empty="No lifts yet. To undo a whole import, open the page of the import."
      />
    );
  }

  /**
   * Who may have recorded a cause: the newest sources, API keys, and people of an account.
   *
   * @param given - an id that may be of another actor, such as an import
   * @returns their names by their ids
   */
  private async recorders(accountId: number, given: string): Promise<Choices> {
    const newest = { limit: MAX_LIMIT };
    const [sources, keys, people] = await Promise.all([
      this.sources.page(accountId, newest),
      this.apiKeys.page(accountId, newest),
      this.people.page(accountId, newest),
    ]);
    const known = [
      ...sources.elements.map(({ id, name }) => [id, `Source: ${sourceName(name)}`] as const),
      ...keys.elements.map(({ id, name }) => [id, `API key: ${apiKeyName(name, id)}`] as const),
      ...people.elements.map(({ id, email }) => [id, `Person: ${email}`] as const),
    ];
    const isKnown = given === '' || known.some(([id]) => id === given);
    return Object.fromEntries([...(isKnown ? [] : [[given, `Id: ${given}`] as const]), ...known]);
  }
}

/** The form as the API reads it. Its times are in UTC. */
function conditionsIn(form: Fields): Record<string, unknown> {
  const domains = textOf(form, 'domains')
    .split(/[\s,;]+/)
    .filter(Boolean);
  return {
    cause: textOf(form, 'cause'),
    created_after: justBefore(inUtc(textOf(form, 'created_after'))),
    created_before: inUtc(textOf(form, 'created_before')),
    actor: textOf(form, 'actor'),
    diagnostic: textOf(form, 'diagnostic'),
    ...(domains.length > 0 && { domains }),
  };
}

function inUtc(time: string): string {
  return LOCAL_TIME.test(time) ? `${time}Z` : time;
}
