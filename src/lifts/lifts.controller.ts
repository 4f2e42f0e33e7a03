import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { ApplyLiftDto, CreateLiftDto } from './dto/lift-requests.dto.js';
import { LiftLinesDto, LiftLinesPageDto } from './dto/lift-line.dto.js';
import { LiftCursorDto, LiftDto, LiftsPageDto } from './dto/lift.dto.js';
import { LiftsService } from './lifts.service.js';
import { LiftId, operations } from './operations.js';

@Controller('lifts')
export class LiftsController {
  constructor(private readonly lifts: LiftsService) {}

  @Post()
  @operations.createLift
  async create(@Context() context: RequestContext, @Body() body: CreateLiftDto) {
    return new LiftDto(await this.lifts.create(context, body.toQuery()));
  }

  @Get()
  @operations.listLifts
  async list(@CurrentCaller() { accountId }: Caller, @Query() { limit, after }: LiftCursorDto) {
    return new LiftsPageDto(await this.lifts.list(accountId, limit, after));
  }

  @Get(':lift')
  @operations.getLift
  async get(@CurrentCaller() { accountId }: Caller, @LiftId id: string) {
    return new LiftDto(await this.lifts.get(accountId, id));
  }

  @Get(':lift/lines')
  @operations.listLiftLines
  async lines(@CurrentCaller() { accountId }: Caller, @LiftId id: string, @Query() query: LiftLinesDto) {
    return new LiftLinesPageDto(await this.lifts.listLines(accountId, id, query));
  }

  @Post(':lift/apply')
  @operations.applyLift
  async apply(@Context() context: RequestContext, @LiftId id: string, @Body() body: ApplyLiftDto) {
    return new LiftDto(await this.lifts.apply(context, id, body.toApplication()));
  }

  @Post(':lift/revert')
  @operations.revertLift
  async revert(@Context() context: RequestContext, @LiftId id: string) {
    return new LiftDto(await this.lifts.revert(context, id));
  }
}
