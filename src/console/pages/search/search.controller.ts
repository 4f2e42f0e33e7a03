import { Body, Get, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { toPage } from '../../../http/page.js';
import { HtmlPage, SeeOther, type HtmlResponse } from '../../../http/responses/html-response.js';
import { AdditionsService } from '../../../suppressions/additions/additions.service.js';
import { PrefixSearch } from '../../../suppressions/prefix-search.js';
import { BatchAddDto } from '../../../suppressions/dto/add.dto.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { readAs, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import { urlOf } from '../../components/pager.js';
import { quote } from '../../components/words.js';
import type { Visitor } from '../../people/sessions.service.js';
import { AddressAnswers } from './address-answers.js';
import { readPastedList } from './pasted-addresses.js';
import { readSearch } from './search-ref.js';
import { SearchPage, type SearchPageProps } from './search.view.js';

const MAX_EMAILS = 100;
const MAX_WITH_PREFIX = 20;

@ConsoleController()
@RequireRole('viewer')
export class SearchController {
  constructor(
    private readonly answers: AddressAnswers,
    private readonly prefixes: PrefixSearch,
    private readonly additions: AdditionsService,
  ) {}

  @Get()
  show(@CurrentVisitor() visitor: Visitor, @Query() fields: Fields): HtmlResponse | Promise<HtmlResponse> {
    const query = textOf(fields, 'q');
    const page = { visitor, query, topicsPage: pageIn(textOf(fields, 'topics')) };
    return query === ''
      ? SearchPage(page)
      : submit(
          () => this.find(visitor, page),
          (problem) => SearchPage({ ...page, problem }),
        );
  }

  /** The answer for one address, or a list of several. */
  private async find(
    { accountId }: Visitor,
    page: SearchPageProps & { query: string },
  ): Promise<HtmlResponse> {
    const search = readSearch(page.query);
    if ('email' in search || 'id' in search) {
      return SearchPage({ ...page, answer: await this.answers.find(accountId, search) });
    }
    if (!('prefix' in search)) {
      return new SeeOther(urlOf('/console/list', { domain: search.domain }));
    }
    const { prefix, domain } = search;
    const found = await this.prefixes.find(accountId, prefix, MAX_WITH_PREFIX + 1);
    if (found.length === 0 && domain) {
      return new SeeOther(urlOf('/console/list', { domain }));
    }
    const { elements, hasMore } = toPage(found, MAX_WITH_PREFIX);
    return SearchPage({ ...page, withPrefix: { prefix, suppressions: elements, hasMore } });
  }

  @Post('add')
  @RequireRole('editor')
  add(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields,
  ): HtmlResponse | Promise<HtmlResponse> {
    const entered = { emails: textOf(form, 'emails'), note: textOf(form, 'note') };
    const list = readPastedList(entered.emails, MAX_EMAILS);
    if (list && list.mistakes.length > 0) {
      const problem = 'Nothing was added. Correct these and try again:';
      const problems = new Set(
        list.mistakes.map(({ line, text, problem: reason }) => `Line ${line}: ${quote(text)} ${reason}.`),
      );
      return new HtmlPage(SearchPage({ visitor, problem, problems: [...problems], entered }), {
        status: 400,
      });
    }
    return submit(
      async () => {
        const emails = requireSome(list?.emails);
        const entry = (await readAs(BatchAddDto, { emails, note: entered.note })).toEntry();
        const ids = await this.additions.batchAdd(context, emails, entry);
        const count = new Set(ids).size;
        return count === 1
          ? new Done(urlOf('/console', { q: emails[0] }), 'The address is suppressed.')
          : new Done('/console/list', `${count} addresses are suppressed.`);
      },
      (problem) => SearchPage({ visitor, problem, entered }),
    );
  }
}

/** The number of a page; the first one unless it says another. */
function pageIn(text: string): number {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/**
 * @param emails - undefined if there are too many
 * @throws {ValidationError} unless there are 1 to 100
 */
function requireSome(emails: EmailAddress[] | undefined): EmailAddress[] {
  if (!emails) {
    throw ValidationError.ofRequest(
      `Nothing was added: this form takes at most ${MAX_EMAILS} addresses. Import a file instead.`,
    );
  }
  if (emails.length === 0) {
    throw ValidationError.ofRequest('Nothing was added: enter an address.');
  }
  return emails;
}
