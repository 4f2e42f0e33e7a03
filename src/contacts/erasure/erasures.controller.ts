import { Body, Controller, Get, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Context, type RequestContext } from '../../audit/request-context.js';
import { AccountKeys } from '../../pseudonyms/account-keys.js';
import { KeptBlocksRepository } from '../../pseudonyms/kept-blocks.repository.js';
import type { ContactRef } from '../../topics/contact.js';
import { ContactParam } from '../operations.js';
import { EraseContactDto, ErasureDto, PseudonymKeyDto } from './erasure.dto.js';
import { ErasuresService } from './erasures.service.js';
import { operations } from './operations.js';
import { RepeatedErasuresDto, RepeatErasuresDto } from './repeats.dto.js';
import { RepeatsService } from './repeats.service.js';

@Controller('contacts/:contact/erase')
export class ErasuresController {
  constructor(private readonly erasures: ErasuresService) {}

  @Post()
  @operations.eraseContact
  async erase(
    @Context() context: RequestContext,
    @ContactParam contact: ContactRef,
    @Body() body: EraseContactDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const receipt = await this.erasures.erase(context, contact, body.toRequest());
    response.status(receipt.completedAt ? HttpStatus.OK : HttpStatus.ACCEPTED);
    return new ErasureDto(receipt);
  }
}

@Controller('pseudonym-key')
export class PseudonymKeyController {
  constructor(
    private readonly keys: AccountKeys,
    private readonly blocks: KeptBlocksRepository,
  ) {}

  @Get()
  @operations.readPseudonymKey
  async read(@Context() { accountId }: RequestContext) {
    return new PseudonymKeyDto(await this.keys.readText(accountId), await this.blocks.findFilters(accountId));
  }
}

@Controller('erasures/repeat')
export class RepeatsController {
  constructor(private readonly repeats: RepeatsService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @operations.repeatErasures
  async repeat(@Context() context: RequestContext, @Body() { receipts, after }: RepeatErasuresDto) {
    return new RepeatedErasuresDto(await this.repeats.repeat(context, receipts, after ?? null));
  }
}
