import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../audit/request-context.js';
import { LinksService } from './links.service.js';
import { OptOutsService } from './opt-outs.service.js';
import { recipientOf } from './link.js';

@Injectable()
export class MailedOptOutsService {
  constructor(
    private readonly links: LinksService,
    private readonly optOuts: OptOutsService,
  ) {}

  /**
   * Opts out the recipient whose `mailto:` address received a message. The address is the credential, as the token of a link is; its sender does not
   * matter, since people write from any of their addresses.
   *
   * @param addresses - the recipients of the message
   * @returns whether one of them is the address of a `mailto:` link
   */
  async handle(
    { accountId, deadline }: Omit<RequestContext, 'actor'>,
    addresses: readonly string[],
  ): Promise<boolean> {
    const link = await this.links.findByMailbox(accountId, addresses);
    if (link) {
      await this.optOuts.optOut({ accountId, actor: recipientOf(link, 'mail'), deadline }, link, 'mail');
    }
    return link !== null;
  }
}
