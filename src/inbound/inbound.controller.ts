import { Controller, HttpCode, HttpStatus, Post, Req, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public, Route } from '../http/route.js';
import { inSpan } from '../tracing/tracing.js';
import { OpenRequestsGuard } from '../rate-limit/rate-limit.guards.js';
import { InboundService } from './inbound.service.js';
import { SourceGuard, type DeliveryRequest } from './sources/source.guard.js';

/** Omitted from the API documentation: only providers call it, and `source create` prints its URL. */
@Controller('inbound')
@ApiExcludeController()
@Route({ body: 'unread' })
@Public('Providers have no API key; each delivery proves who sent it.')
export class InboundController {
  constructor(private readonly inbound: InboundService) {}

  @Post(':source')
  @UseGuards(SourceGuard, OpenRequestsGuard)
  @HttpCode(HttpStatus.OK)
  receive(@Req() request: DeliveryRequest): Promise<Record<string, never>> {
    const { source } = request;
    const attributes = { 'suppression_list.provider': source.provider, 'suppression_list.source': source.id };
    return inSpan('delivery', { attributes }, () => this.inbound.receive(request));
  }
}
