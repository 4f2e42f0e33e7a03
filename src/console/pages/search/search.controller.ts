import { Body, Get, Post, Query } from '@nestjs/common';
import { InvalidEmailAddress, parseEmailAddress } from '../../../email-address/email-address.js';
import { ValidationError } from '../../../http/errors.js';
import { Deadline } from '../../../http/deadline.js';
import { SeeOther, type HtmlResponse } from '../../../http/html-response.js';
import { BatchAddDto } from '../../../suppressions/dto/add.dto.js';
import { RemoveDto, CauseDto } from '../../../suppressions/dto/remove.dto.js';
import { SuppressionRefPipe } from '../../../suppressions/suppression-ref.js';
import { SuppressionsService } from '../../../suppressions/suppressions.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { doneIn, readAs, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { actorOf, CurrentVisitor } from '../../access/visitor.js';
import { urlOf } from '../../components/pager.js';
import { includesRole } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import { AddressAnswers } from './address-answers.js';
import { SearchPage } from './search.view.js';

const DONE: Record<string, string> = {
  added: 'The address is suppressed.',
  many: 'The addresses are suppressed.',
  lifted: 'The suppression is lifted.',
  cause: 'The cause is lifted.',
};

@ConsoleController()
@RequireRole('viewer')
export class SearchController {
  private readonly refs = new SuppressionRefPipe();

  constructor(
    private readonly answers: AddressAnswers,
    private readonly suppressions: SuppressionsService,
  ) {}

  @Get()
  show(@CurrentVisitor() visitor: Visitor, @Query() fields: Fields): HtmlResponse | Promise<HtmlResponse> {
    const query = textOf(fields, 'q');
    const topicsPage = pageIn(textOf(fields, 'topics'));
    const page = { visitor, query, topicsPage, done: doneIn(fields, DONE) };
    return query === ''
      ? SearchPage(page)
      : submit(
          async () => SearchPage({ ...page, answer: await this.answer(visitor, query) }),
          (problem) => SearchPage({ ...page, problem }),
        );
  }

  @Post('add')
  @RequireRole('editor')
  add(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const entered = { emails: textOf(form, 'emails'), note: textOf(form, 'note') };
    return submit(
      async () => {
        const entry = await readAs(BatchAddDto, {
          emails: addressesIn(entered.emails),
          note: entered.note,
        });
        const { emails } = entry;
        await this.suppressions.batchAdd(
          visitor.accountId,
          actorOf(visitor),
          emails,
          entry.toEntry(),
          deadline,
        );
        return new SeeOther(
          emails.length === 1 ? urlOf('/console', { q: emails[0], done: 'added' }) : '/console?done=many',
        );
      },
      (problem) => SearchPage({ visitor, problem, entered }),
    );
  }

  @Post('lift')
  @RequireRole('editor')
  lift(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const query = textOf(form, 'email');
    return submit(
      async () => {
        const { cause = null } = await readAs(CauseDto, { cause: textOf(form, 'cause') });
        const reference = textOf(form, 'consent_reference');
        const body = await readAs(RemoveDto, {
          note: textOf(form, 'note'),
          consent: reference ? { kind: textOf(form, 'consent_kind'), reference } : undefined,
        });
        const removal = body.toRemoval(cause, includesRole(visitor.role, 'admin'));
        const ref = this.refs.transform(query);
        await this.suppressions.remove(visitor.accountId, actorOf(visitor), ref, removal, deadline);
        return new SeeOther(urlOf('/console', { q: query, done: cause ? 'cause' : 'lifted' }));
      },
      async (problem) => SearchPage({ visitor, problem, query, answer: await this.answer(visitor, query) }),
    );
  }

  private answer({ accountId }: Visitor, query: string) {
    return this.answers.find(accountId, this.refs.transform(query));
  }
}

/** The number of a page; the first one unless it says another. */
function pageIn(text: string): number {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/**
 * The addresses of a pasted list.
 *
 * @throws {ValidationError} naming the first part that is not an address
 */
function addressesIn(text: string): string[] {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  for (const part of parts) {
    const address = parseEmailAddress(part);
    if (address instanceof InvalidEmailAddress) {
      throw ValidationError.ofRequest(
        `Nothing was added: "${part}" is not an address, it ${address.problem}.`,
      );
    }
  }
  return parts;
}
