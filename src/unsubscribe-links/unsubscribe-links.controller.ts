import { Body, Controller, Post } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Deadline } from '../http/requests/deadline.js';
import { CreateLinksDto, UnsubscribeLinksDto } from './dto/links.dto.js';
import { CreateUnsubscribeLinks } from './operations.js';
import { UnsubscribeLinksService } from './unsubscribe-links.service.js';

@Controller('unsubscribe-links')
export class UnsubscribeLinksController {
  constructor(private readonly links: UnsubscribeLinksService) {}

  @Post()
  @CreateUnsubscribeLinks()
  async create(
    @CurrentCaller() { accountId }: Caller,
    @Deadline() deadline: number,
    @Body() body: CreateLinksDto,
  ): Promise<UnsubscribeLinksDto> {
    return new UnsubscribeLinksDto(
      await this.links.create(accountId, body.emails, body.toLinkedEmail(), deadline),
    );
  }
}
