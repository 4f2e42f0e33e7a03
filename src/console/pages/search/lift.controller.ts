import { Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { transactionBefore } from '../../../database/transaction.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { CAUSES, type Cause } from '../../../ledger/cause.js';
import { RemoveDto } from '../../../suppressions/dto/remove.dto.js';
import type { LiftedSuppression } from '../../../suppressions/removals.repository.js';
import { RemovalsService, liftableCauses, type Removal } from '../../../suppressions/removals.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submit, type Visit } from '../../access/visit.js';
import { textOf, textsOf, type Fields } from '../../components/form.js';
import { urlOf } from '../../components/list.js';
import { CAUSE_NAMES, listOf } from '../../components/words.js';
import { AddressAnswers, AlreadyLiftedError, LiftNotAllowedError } from './address-answers.js';
import { answerPage } from './answer-page.js';
import { consentIn } from './consent.view.js';
import { readSuppressionRef } from './search-ref.js';

@ConsoleController('lift', 'editor')
export class LiftController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly answers: AddressAnswers,
    private readonly removals: RemovalsService,
    private readonly accounts: AccountsService,
  ) {}

  @Post()
  lift(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const names = listOf((await this.remove(visit)).map((cause) => CAUSE_NAMES[cause]));
        return new Done(urlOf('/console', { q: textOf(visit.form, 'email') }), `Lifted: ${names}.`);
      },
      (refused) => answerPage(refused, this.answers),
    );
  }

  /**
   * Lifts the causes that the page showed, all or none: others, which were recorded since, stay.
   *
   * @returns the causes that were there
   */
  private async remove({ context, role, isAdmin, form }: Visit): Promise<Cause[]> {
    const { accountId, deadline } = context;
    const ref = readSuppressionRef(textOf(form, 'email'));
    const refs = 'id' in ref ? { ids: [ref.id] } : { emails: [ref.email] };
    const causes = causesIn(form);
    const removal = await removalIn(form, isAdmin);
    const { removal: policy } = await this.accounts.getById(accountId);
    const liftable = liftableCauses(removal);
    if (policy === 'guarded' && !causes.every((cause) => liftable.includes(cause))) {
      throw new LiftNotAllowedError(role);
    }
    const lifted = await transactionBefore(this.dataSource, deadline, async (transaction) => {
      const suppressions: LiftedSuppression[] = [];
      for (const cause of causes) {
        const asked = { ...removal, cause };
        suppressions.push(...(await this.removals.batchRemove(context, refs, asked, transaction)));
      }
      return suppressions.map(({ cause }) => cause);
    });
    if (lifted.length === 0) {
      throw new AlreadyLiftedError(causes);
    }
    return lifted;
  }
}

/** @throws {ValidationError} */
function causesIn(form: Fields): Cause[] {
  const named = textsOf(form, 'cause');
  const causes = CAUSES.filter((cause) => named.includes(cause));
  if (causes.length === 0) {
    throw ValidationError.ofRequest('Nothing was lifted: the form names no cause.');
  }
  return causes;
}

/** @throws {ValidationError} */
async function removalIn(form: Fields, mayLift: boolean): Promise<Removal> {
  const body = await readAs(RemoveDto, { note: textOf(form, 'note'), consent: consentIn(form) });
  return body.toRemoval(null, mayLift);
}
