import { Body, Controller, Delete, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { CursorDto } from '../http/page.js';
import { DeletedRuleDto, PutRuleDto, RuleDto, RuleHistoryPageDto, RulesPageDto } from './rule.dto.js';
import { operations, RuleParam } from './operations.js';
import type { RuleRef } from './pattern.js';
import { RulesService } from './rules.service.js';

@Controller('rules')
export class RulesController {
  constructor(private readonly rules: RulesService) {}

  @Post()
  @operations.putRule
  async put(
    @Context() context: RequestContext,
    @Body() body: PutRuleDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { rule, action } = await this.rules.put(context, body.toNewRule());
    response.status(action === 'created' ? HttpStatus.CREATED : HttpStatus.OK);
    return new RuleDto(rule);
  }

  @Get()
  @operations.listRules
  async list(@CurrentCaller() { accountId }: Caller, @Query() cursor: CursorDto) {
    return new RulesPageDto(await this.rules.page(accountId, cursor));
  }

  @Get(':rule')
  @operations.getRule
  async get(@CurrentCaller() { accountId }: Caller, @RuleParam rule: RuleRef) {
    return new RuleDto(await this.rules.get(accountId, rule));
  }

  @Get(':rule/history')
  @operations.getRuleHistory
  async history(
    @CurrentCaller() { accountId }: Caller,
    @RuleParam rule: RuleRef,
    @Query() cursor: CursorDto,
  ) {
    return new RuleHistoryPageDto(await this.rules.history(accountId, rule, cursor));
  }

  @Delete(':rule')
  @operations.deleteRule
  async delete(@Context() context: RequestContext, @RuleParam rule: RuleRef) {
    return new DeletedRuleDto(await this.rules.delete(context, rule));
  }
}
