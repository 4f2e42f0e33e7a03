import { Body, Controller, Post, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { requestedPurpose } from '../suppressions/checks/check-request.js';
import { HookPurposeDto, HookRequestDto, HookResponseDto } from './hook.dto.js';
import { MtaHooksService } from './mta-hooks.service.js';
import { operations } from './operations.js';

@Controller('mta-hooks')
export class MtaHooksController {
  constructor(private readonly hooks: MtaHooksService) {}

  @Post()
  @operations.answerMtaHook
  async answer(
    @CurrentCaller() caller: Caller,
    @Query() purpose: HookPurposeDto,
    @Body() body: HookRequestDto,
  ) {
    return new HookResponseDto(
      await this.hooks.decide(caller.accountId, body.toRecipients(), requestedPurpose(caller, purpose)),
    );
  }
}
