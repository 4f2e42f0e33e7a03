import { Controller, HttpCode, HttpStatus, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccessTo } from '../api-keys/access.js';
import { AnsweredBy } from '../http/open-requests.js';
import { InboundService } from './inbound.service.js';
import { rawBodyOf } from './raw-body.js';

/** Not in the document of the API: providers call it, and a person gets its URL from `source create`. */
@Controller('inbound')
@ApiExcludeController()
@AccessTo({ publicBecause: 'Providers hold no key of ours; each delivery proves by itself who sent it.' })
export class InboundController {
  constructor(private readonly inbound: InboundService) {}

  @Post(':source')
  @HttpCode(HttpStatus.OK)
  receive(
    @Param('source') urlId: string,
    @Req() request: Request,
    @AnsweredBy() answeredBy: number,
  ): Promise<Record<string, never>> {
    return this.inbound.receive(urlId, rawBodyOf(request), request.headers, { answeredBy });
  }
}
