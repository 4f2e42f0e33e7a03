import { Body, Controller, Post, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { allows } from '../api-keys/scopes.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { Deadline } from '../http/requests/deadline.js';
import { AdditionsService } from './additions/additions.service.js';
import { checkOperations, operations } from './batch-operations.js';
import { CheckService } from './checks/check.service.js';
import { BatchAddDto, BatchAddedDto } from './dto/add.dto.js';
import { CheckDto, ExplainDto } from './dto/check.dto.js';
import { CheckedDto } from './dto/checked.dto.js';
import { BatchRemovedDto, BatchRemoveDto } from './dto/remove.dto.js';
import { RemovalsService } from './removals.service.js';
import { requestedPurpose } from './checks/check-request.js';

/** The order is that of the page at /docs. */
@Controller('suppressions')
export class BatchesController {
  constructor(
    private readonly additions: AdditionsService,
    private readonly checks: CheckService,
    private readonly removals: RemovalsService,
  ) {}

  @Post('batch/add')
  @operations.batchAddSuppressions
  async batchAdd(@Context() context: RequestContext, @Body() body: BatchAddDto): Promise<BatchAddedDto> {
    return new BatchAddedDto(await this.additions.batchAdd(context, body.emails, body.toEntry()));
  }

  @Post('check')
  @checkOperations.checkEmails
  async check(
    @CurrentCaller() caller: Caller,
    @Query() { explain }: ExplainDto,
    @Context() context: RequestContext,
    @Body() body: CheckDto,
  ): Promise<CheckedDto> {
    const purpose = requestedPurpose(caller, body);
    const links = body.toRequestedLinks();
    const checked = links
      ? await this.checks.checkWithLinks(context, body.emails, purpose, links)
      : await this.checks.check(caller.accountId, body.emails, purpose, body.as_of);
    return new CheckedDto(checked, explain);
  }

  @Post('batch/remove')
  @operations.batchRemoveSuppressions
  async batchRemove(
    @CurrentCaller() caller: Caller,
    @Context() context: RequestContext,
    @Deadline() deadline: number,
    @Body() body: BatchRemoveDto,
  ): Promise<BatchRemovedDto> {
    return new BatchRemovedDto(
      await this.removals.batchRemove(
        context,
        body.toRefs(),
        body.toRemoval(body.cause, allows(caller.scopes, 'suppressions:lift')),
        { deadline },
      ),
    );
  }
}
