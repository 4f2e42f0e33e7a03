import { Get, Post } from '@nestjs/common';
import { InvalidEmailAddress, type EmailAddress } from '../../../email-address/email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { toPage } from '../../../http/page.js';
import { HtmlPage, SeeOther, type HtmlResponse } from '../../../http/responses/html-response.js';
import { AdditionsService, type SuppressResult } from '../../../suppressions/additions/additions.service.js';
import { BatchAddDto } from '../../../suppressions/dto/add.dto.js';
import { PrefixSearch } from '../../../suppressions/suppression-lookup.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submit, type Visit } from '../../access/visit.js';
import { pick, textOf } from '../../components/form.js';
import { urlOf } from '../../components/list.js';
import { quote } from '../../components/words.js';
import { AddressAnswers } from './address-answers.js';
import { type Mistake, readPastedList, readSearch } from './search-text.js';
import { SearchPage, topicsPageIn } from './search.view.js';

const MAX_EMAILS = 100;
const MAX_WITH_PREFIX = 20;

@ConsoleController('', 'viewer')
export class SearchController {
  constructor(
    private readonly answers: AddressAnswers,
    private readonly prefixes: PrefixSearch,
    private readonly additions: AdditionsService,
  ) {}

  @Get()
  show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      () => this.find(visit, textOf(visit.query, 'q')),
      (refused) => SearchPage({ visitor: refused, query: textOf(visit.query, 'q') }),
    );
  }

  @Post('add')
  @RequireRole('editor')
  add(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      () => this.addAll(visit),
      (refused) => SearchPage({ visitor: refused }),
    );
  }

  /** The answer for one address, or a list of several. */
  private async find(visit: Visit, query: string): Promise<HtmlResponse> {
    const page = { visitor: visit, query };
    if (query === '') {
      return SearchPage(page);
    }
    const email = await this.answers.findEmail(visit.accountId, query);
    if (!(email instanceof InvalidEmailAddress)) {
      const answer = await this.answers.find(visit.accountId, email);
      return SearchPage({ ...page, answer, topicsPage: topicsPageIn(visit.query) });
    }
    const search = readSearch(query, email);
    if (!('prefix' in search)) {
      return new SeeOther(urlOf('/console/list', { domain: search.domain }));
    }
    const { prefix, domain } = search;
    const found = await this.prefixes.find(visit.accountId, prefix, MAX_WITH_PREFIX + 1);
    if (found.length === 0 && domain) {
      return new SeeOther(urlOf('/console/list', { domain }));
    }
    const { elements, hasMore } = toPage(found, MAX_WITH_PREFIX);
    return SearchPage({ ...page, withPrefix: { prefix, suppressions: elements, hasMore } });
  }

  private async addAll(visit: Visit): Promise<HtmlResponse> {
    const { emails: text, note } = pick(visit.form, ['emails', 'note']);
    const list = readPastedList(text, MAX_EMAILS);
    if (list && list.mistakes.length > 0) {
      return refuse(visit, list.mistakes);
    }
    const emails = requireSome(list?.emails);
    const entry = (await readAs(BatchAddDto, { emails, note })).toEntry();
    const added = await this.additions.batchAdd(visit.context, emails, entry);
    const count = countRecords(added);
    const unchanged = entry.note === null ? 0 : countRecords(added.filter(({ action }) => action === null));
    if (count === 1) {
      const hint =
        unchanged > 0
          ? ' The note was not stored, because it was already on the list as “Added by hand”.'
          : '';
      return new Done(urlOf('/console', { q: emails[0] }), `The address is suppressed.${hint}`);
    }
    const hint =
      unchanged > 0
        ? ` The note was not stored for those that were already on the list as “Added by hand”: ${unchanged}.`
        : '';
    return new Done('/console/list', `${count} addresses are suppressed.${hint}`);
  }
}

/** An address and its pseudonym have the same record. */
function countRecords(added: readonly SuppressResult[]): number {
  return new Set(added.map(({ id }) => id)).size;
}

function refuse(visit: Visit, mistakes: Mistake[]): HtmlPage {
  const problems = new Set(
    mistakes.map(({ line, text, problem }) => `Line ${line}: ${quote(text)} ${problem}.`),
  );
  const visitor = {
    ...visit,
    problem: 'Nothing was added. Correct these and try again:',
    problems: [...problems],
    entered: { action: visit.path, fields: visit.form },
  };
  return new HtmlPage(SearchPage({ visitor }), { status: 400 });
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
