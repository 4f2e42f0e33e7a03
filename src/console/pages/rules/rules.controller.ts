import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { MAX_LIMIT } from '../../../http/page.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { PutRuleDto } from '../../../rules/dto/put-rule.dto.js';
import { RuleRefPipe, type RuleRef } from '../../../rules/rule-ref.js';
import { RulesService } from '../../../rules/rules.service.js';
import { TopicsRepository } from '../../../topics/topics.repository.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, readAs, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { coversRegistry } from './broad-pattern.js';
import { BroadRulePage } from './broad-rule.view.js';
import { RulePage } from './rule.view.js';
import { RulesPage } from './rules.view.js';

const ROWS = 50;

@ConsoleController('rules')
@RequireRole('viewer')
export class RulesPageController {
  constructor(
    private readonly rules: RulesService,
    private readonly topics: TopicsService,
    private readonly topicsRepository: TopicsRepository,
  ) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.page({ visitor }, query);
  }

  @Post()
  @RequireRole('editor')
  put(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields = {},
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const { confirmed, ...entered } = form;
        const rule = (await readAs(PutRuleDto, entered)).toNewRule();
        if (coversRegistry(rule.pattern) && !confirmed) {
          return BroadRulePage({ visitor, pattern: rule.pattern, entered });
        }
        await this.rules.put(context, rule);
        return new Done('/console/rules', 'The rule is saved.');
      },
      (problem) => this.page({ visitor, problem }, {}, form),
    );
  }

  @Get(':rule')
  async show(
    @CurrentVisitor() visitor: Visitor,
    @Param('rule', RuleRefPipe) ref: RuleRef,
    @Query() query: Fields,
  ): Promise<HtmlResponse> {
    const { accountId } = visitor;
    const cursor = await cursorIn(query, ROWS);
    const rule = await this.rules.get(accountId, ref);
    const topics = await this.topicsRepository.findByIds(accountId, rule.topicId ? [rule.topicId] : []);
    const history = await this.rules.history(accountId, { id: rule.id }, cursor);
    return RulePage({ visitor, rule, topics, history, cursor });
  }

  @Post(':rule/delete')
  @RequireRole('editor')
  async delete(
    @Context() context: RequestContext,
    @Param('rule', RuleRefPipe) rule: RuleRef,
  ): Promise<HtmlResponse> {
    await this.rules.delete(context, rule);
    return new Done('/console/rules', 'The rule is deleted.');
  }

  private async page(props: PageProps, query: Fields, entered?: Fields) {
    const { accountId } = props.visitor;
    const cursor = await cursorIn(query, ROWS);
    const [page, choices] = await Promise.all([
      this.rules.page(accountId, cursor),
      this.topics.page(accountId, { limit: MAX_LIMIT }),
    ]);
    const topicIds = page.elements.flatMap(({ topicId }) => topicId ?? []);
    const topics = await this.topicsRepository.findByIds(accountId, topicIds);
    return RulesPage({ ...props, page, cursor, topics, choices, ...(entered && { entered }) });
  }
}
