import { Body, Controller, Post } from '@nestjs/common';
import { Context, type RequestContext } from '../audit/request-context.js';
import { CreateLinksDto, UnsubscribeLinksDto } from './links.dto.js';
import { operations } from './operations.js';
import { UnsubscribeLinksService } from './unsubscribe-links.service.js';

@Controller('unsubscribe-links')
export class UnsubscribeLinksController {
  constructor(private readonly links: UnsubscribeLinksService) {}

  @Post()
  @operations.createUnsubscribeLinks
  async create(@Context() context: RequestContext, @Body() body: CreateLinksDto) {
    return new UnsubscribeLinksDto(await this.links.create(context, body.emails, body.toLinkedEmail()));
  }
}
