import { Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { transactionBefore } from '../../../database/transaction.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { CAUSES, type Cause } from '../../../ledger/cause.js';
import { AdditionsService } from '../../../suppressions/additions/additions.service.js';
import { AddDto, NoteDto } from '../../../suppressions/dto/add.dto.js';
import { RemoveDto } from '../../../suppressions/dto/remove.dto.js';
import type { LiftedSuppression } from '../../../suppressions/removals.repository.js';
import { RemovalsService, liftableCauses, type Removal } from '../../../suppressions/removals.service.js';
import { SuppressionsService } from '../../../suppressions/suppressions.service.js';
import type { ContactTopic } from '../../../topics/contact.js';
import { SetContactTopicsPipe } from '../../../topics/contact-topics.dto.js';
import { UnseenChoiceError } from '../../../topics/errors.js';
import { PreferencesService } from '../../../topics/preferences.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submit, type Visit } from '../../access/visit.js';
import { consentIn } from '../../components/consent.js';
import { pick, textOf, textsOf, type Fields } from '../../components/form.js';
import { urlOf } from '../../components/list.js';
import { listOfCauses, listOf } from '../../components/words.js';
import {
  AddressAnswers,
  AlreadyLiftedError,
  AlreadyUnsubscribedError,
  ChosenSinceError,
  LiftNotAllowedError,
  RecordedAgainError,
} from './address-answers.js';
import { shownCause } from './causes.view.js';
import { shownAtIn } from './preferences-form.view.js';
import { SearchPage, topicsPageIn } from './search.view.js';

const REQUESTED = new SetContactTopicsPipe();

/** Changes an address from the page that answers about it. */
@ConsoleController('', 'editor')
export class AddressController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly answers: AddressAnswers,
    private readonly suppressions: SuppressionsService,
    private readonly additions: AdditionsService,
    private readonly removals: RemovalsService,
    private readonly accounts: AccountsService,
    private readonly preferences: PreferencesService,
  ) {}

  @Post('lift')
  lift(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.change(visit, async () => {
      return `Lifted: ${listOfCauses(await this.remove(visit))}.`;
    });
  }

  @Post('preferences')
  setPreferences(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.change(visit, async () => sentenceOf((await this.choose(visit)).topics));
  }

  @Post('unsubscribe')
  unsubscribe(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.change(visit, async () => {
      await this.recordUnsubscribe(visit);
      return 'Unsubscribed from everything except transactional mail.';
    });
  }

  /** @param work - returns what was done */
  private change(visit: Visit, work: () => Promise<string>): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const done = await work();
        return new Done(urlOf('/console', { q: textOf(visit.form, 'email') }), done);
      },
      (refused) => answerPage(refused, this.answers),
    );
  }

  /**
   * Lifts the causes that the page showed, all or none. Causes that were recorded since then stay.
   *
   * @returns the causes that were lifted
   */
  private async remove({ context, role, isAdmin, form }: Visit): Promise<Cause[]> {
    const { accountId } = context;
    const email = await this.answers.emailOf(accountId, textOf(form, 'email'));
    const shown = textsOf(form, 'cause');
    const causes = causesIn(shown);
    const removal = await removalIn(form, isAdmin);
    const { removal: policy } = await this.accounts.getById(accountId);
    const liftable = liftableCauses(removal);
    if (policy === 'guarded' && !causes.every((cause) => liftable.includes(cause))) {
      throw new LiftNotAllowedError(role);
    }
    const lifted = await transactionBefore(this.dataSource, context, async (transaction) => {
      const recorded = await this.suppressions.lockCauses(accountId, email, transaction);
      const present = recorded.filter(({ cause }) => causes.includes(cause)).toReversed();
      const again = present.filter((details) => !shown.includes(shownCause(details)));
      if (again.length > 0) {
        throw new RecordedAgainError(again.map(({ cause }) => cause));
      }
      const suppressions: LiftedSuppression[] = [];
      for (const { cause } of present) {
        const asked = { ...removal, cause };
        suppressions.push(
          ...(await this.removals.batchRemove(context, { emails: [email] }, asked, transaction)),
        );
      }
      return suppressions.map(({ cause }) => cause);
    });
    if (lifted.length === 0) {
      throw new AlreadyLiftedError(causes);
    }
    return lifted;
  }

  private async choose({ context, isAdmin, form }: Visit): Promise<{ topics: ContactTopic[] }> {
    const { note } = await readAs(NoteDto, { note: textOf(form, 'note') });
    const topics = choicesIn(form);
    const requested = REQUESTED.transform({ topics, consent: consentIn(form) });
    const email = await this.answers.emailOf(context.accountId, textOf(form, 'email'));
    const shown = new Map(topics.map(({ id, shownAt }) => [id, shownAt]));
    try {
      return await this.preferences.set(context, { email }, { ...requested, note, shown }, isAdmin);
    } catch (error) {
      throw error instanceof UnseenChoiceError ? new ChosenSinceError(error.topics) : error;
    }
  }

  /** @throws {AlreadyUnsubscribedError} */
  private async recordUnsubscribe({ context, form }: Visit): Promise<void> {
    const { email, note = null } = await readAs(AddDto, pick(form, ['email', 'note']));
    if (!(await this.additions.unsubscribe(context, { email, emailId: null, note }, context))) {
      throw new AlreadyUnsubscribedError();
    }
  }
}

/** The page for the address of a form that the service refused. */
export async function answerPage(refused: Visit, answers: AddressAnswers): Promise<HtmlResponse> {
  const query = textOf(refused.form, 'email');
  const answer = await answers.find(refused.accountId, await answers.emailOf(refused.accountId, query));
  return SearchPage({ visitor: refused, query, answer, topicsPage: topicsPageIn(refused.form) });
}

/**
 * The topics that the person chose for, with what the page showed about each.
 *
 * @throws {ValidationError}
 */
function choicesIn(form: Fields): { id: string; subscription: string; shownAt: Date | null }[] {
  const chosen = textsOf(form, 'choice').filter((choice) => choice !== '');
  if (chosen.length === 0) {
    throw ValidationError.ofRequest('Nothing was changed: choose for at least one topic.');
  }
  return chosen.map((choice) => {
    const [id = '', subscription = '', shown = ''] = choice.split(' ');
    return { id, subscription, shownAt: shownAtIn(shown) };
  });
}

/** @throws {ValidationError} */
function causesIn(shown: readonly string[]): Cause[] {
  const causes = CAUSES.filter((cause) => shown.some((text) => text.startsWith(`${cause} `)));
  if (causes.length === 0) {
    throw ValidationError.ofRequest(
      'Nothing was lifted: the page was out of date. See below what is recorded now.',
    );
  }
  return causes;
}

/** @throws {ValidationError} */
async function removalIn(form: Fields, mayLift: boolean): Promise<Removal> {
  const body = await readAs(RemoveDto, { note: textOf(form, 'note'), consent: consentIn(form) });
  return body.toRemoval(null, mayLift);
}

/** `Opted in to: News. Opted out of: Offers.` */
function sentenceOf(topics: readonly ContactTopic[]): string {
  const named = (wanted: string) =>
    topics.filter(({ subscription }) => subscription === wanted).map(({ topic }) => topic.name);
  return [['Opted in to', named('opt_in')] as const, ['Opted out of', named('opt_out')] as const]
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${verb}: ${listOf(names)}.`)
    .join(' ');
}
