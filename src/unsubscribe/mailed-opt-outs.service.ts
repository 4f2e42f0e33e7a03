import { Injectable } from '@nestjs/common';
import { LinksService } from './links.service.js';
import { OptOutsService } from './opt-outs.service.js';
import { recipientOf } from './recipient.js';

/** Mail to the addresses of `mailto:` links. */
@Injectable()
export class MailedOptOutsService {
  constructor(
    private readonly links: LinksService,
    private readonly optOuts: OptOutsService,
  ) {}

  /**
   * Opts out whoever a message was sent for. The address is the credential, as the token of a link is; its sender does not
   * matter, since people write from any of their addresses.
   *
   * @param addresses - that the message was sent to
   * @returns whether one of them is the address of a `mailto:` link
   */
  async take(accountId: number, addresses: readonly string[], deadline: number): Promise<boolean> {
    const link = await this.links.findByMailbox(accountId, addresses);
    if (link) {
      await this.optOuts.optOut(link, recipientOf(link, 'mail'), 'mail', deadline);
    }
    return link !== null;
  }
}
