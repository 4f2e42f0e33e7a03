import { Get, Param, Post } from '@nestjs/common';
import { MAX_LIMIT } from '../../../http/page.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { PutRuleDto } from '../../../rules/rule.dto.js';
import { RuleRefPipe, type RuleRef } from '../../../rules/pattern.js';
import { RulesService } from '../../../rules/rules.service.js';
import { TopicsRepository } from '../../../topics/topics.repository.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, readList, type Visit } from '../../access/visit.js';
import { Done, submit } from '../../access/submit.js';
import { BroadRulePage, coversRegistry, RulePage } from './rule.view.js';
import { RulesPage } from './rules.view.js';

const ROWS = 50;

@ConsoleController('rules', 'viewer')
export class RulesPageController {
  constructor(
    private readonly rules: RulesService,
    private readonly topics: TopicsService,
    private readonly topicsRepository: TopicsRepository,
  ) {}

  @Get()
  list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.listPage(visit);
  }

  @Post()
  @RequireRole('editor')
  put(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      () => this.save(visit),
      (refused) => this.listPage(refused),
    );
  }

  @Get(':rule')
  show(@CurrentVisit() visit: Visit, @Param('rule', RuleRefPipe) ref: RuleRef): Promise<HtmlResponse> {
    return this.rulePage(visit, ref);
  }

  @Post(':rule/delete')
  @RequireRole('editor')
  async delete(
    @CurrentVisit() { context }: Visit,
    @Param('rule', RuleRefPipe) rule: RuleRef,
  ): Promise<HtmlResponse> {
    await this.rules.delete(context, rule);
    return new Done('/console/rules', 'The rule is deleted.');
  }

  private async save(visit: Visit): Promise<HtmlResponse> {
    const { confirmed, ...entered } = visit.form;
    const rule = (await readAs(PutRuleDto, entered)).toNewRule();
    if (coversRegistry(rule.pattern) && !confirmed) {
      return BroadRulePage({ visitor: visit, pattern: rule.pattern, entered });
    }
    await this.rules.put(visit.context, rule);
    return new Done('/console/rules', 'The rule is saved.');
  }

  private async listPage(visit: Visit) {
    const { accountId } = visit;
    const [list, choices] = await Promise.all([
      readList(visit, ROWS, (cursor) => this.rules.page(accountId, cursor)),
      this.topics.page(accountId, { limit: MAX_LIMIT }),
    ]);
    const topicIds = list.elements.flatMap(({ topicId }) => topicId ?? []);
    const topics = await this.topicsRepository.findByIds(accountId, topicIds);
    return RulesPage({ visitor: visit, list, topics, choices });
  }

  private async rulePage(visit: Visit, ref: RuleRef) {
    const { accountId } = visit;
    const rule = await this.rules.get(accountId, ref);
    const topics = await this.topicsRepository.findByIds(accountId, rule.topicId ? [rule.topicId] : []);
    const history = await readList(visit, ROWS, (cursor) =>
      this.rules.history(accountId, { id: rule.id }, cursor),
    );
    return RulePage({ visitor: visit, rule, topics, history });
  }
}
