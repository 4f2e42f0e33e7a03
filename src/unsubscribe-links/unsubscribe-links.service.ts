import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AccountContext } from '../audit/request-context.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { requireFound } from '../http/errors/api-error.js';
import { ServiceUnavailableError } from '../http/errors/errors.js';
import { isLoopback } from '../http/server/network-addresses.js';
import { OperatorError } from '../process/operator-error.js';
import { SecretsKeyMissingError } from '../secrets/secrets-cipher.js';
import { TopicsService } from '../topics/topics.service.js';
import type { TopicRef } from '../topics/topic-ref.js';
import type { Topic } from '../topics/topic.entity.js';
import { UnsubscribeLinksUnavailableError, UnsubscribeMailboxMissingError } from './errors.js';
import { MailIdsRepository } from './mail-ids.repository.js';
import { sealToken, type UnsubscribeKey } from './token.js';
import { UnsubscribeKeysService } from './unsubscribe-keys.service.js';
import { UnsubscribeSettingsService } from './unsubscribe-settings.service.js';

/** Injection token: the URL at which recipients reach the service, without a trailing slash. */
export const PUBLIC_URL = Symbol('PUBLIC_URL');

export interface UnsubscribeLink {
  email: EmailAddress;
  url: string;
  /** Headers by name, for the email to this recipient only. */
  headers: Record<string, string>;
}

export interface LinkedEmail {
  topic: TopicRef | null;
  emailId: string | null;
  /** Whether the headers also have a `mailto:` address. */
  mailto: boolean;
}

@Injectable()
export class UnsubscribeLinksService {
  private readonly logger = new Logger(UnsubscribeLinksService.name);

  constructor(
    private readonly keys: UnsubscribeKeysService,
    private readonly topics: TopicsService,
    private readonly settings: UnsubscribeSettingsService,
    private readonly mailIds: MailIdsRepository,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
  ) {}

  /**
   * Creates a link for each recipient of an email, in the order of the addresses.
   *
   * @throws {UnsubscribeLinksUnavailableError}
   * @throws {UnsubscribeMailboxMissingError}
   * @throws {TopicNotFoundError}
   */
  async create(
    context: AccountContext,
    emails: EmailAddress[],
    { topic: ref, emailId, mailto }: LinkedEmail,
  ): Promise<UnsubscribeLink[]> {
    const { accountId } = context;
    this.requireSafeUrl();
    const topic = ref && (await this.topics.get(accountId, ref));
    const key = await this.newestKey(context);
    const mailboxes = mailto ? await this.mintMailboxes(context, key, emails, topic) : [];
    return emails.map((email, index) => {
      const token = sealToken(key, { email, topicId: topic && topic.id, emailId });
      const url = `${this.publicUrl}/u/${token}`;
      const mailbox = mailboxes[index];
      return {
        email,
        url,
        headers: {
          'List-Unsubscribe': mailbox ? `<${url}>, <mailto:${mailbox}?subject=unsubscribe>` : `<${url}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          ...(topic && { 'List-Id': `<${topic.key}.${accountId}.${new URL(this.publicUrl).hostname}>` }),
        },
      };
    });
  }

  /** Requires HTTPS, because a POST that is redirected from HTTP to HTTPS becomes a GET, which changes nothing. */
  private requireSafeUrl(): void {
    const { protocol, hostname } = new URL(this.publicUrl);
    if (protocol !== 'https:' && !isLoopback(hostname)) {
      throw new UnsubscribeLinksUnavailableError();
    }
  }

  private async newestKey(context: AccountContext): Promise<UnsubscribeKey> {
    try {
      return await this.keys.getNewest(context);
    } catch (error) {
      if (error instanceof SecretsKeyMissingError) {
        throw UnsubscribeLinksUnavailableError.withoutSecretsKey();
      }
      if (error instanceof OperatorError) {
        this.logger.error({ msg: 'the key of unsubscribe links cannot be read', reason: error.message });
        throw new ServiceUnavailableError('The key of the links cannot be read. Try again later.');
      }
      throw error;
    }
  }

  private async mintMailboxes(
    context: AccountContext,
    key: UnsubscribeKey,
    emails: EmailAddress[],
    topic: Topic | null,
  ): Promise<string[]> {
    const settings = await this.settings.get(context.accountId);
    const mailbox = requireFound(settings.mailbox, UnsubscribeMailboxMissingError);
    return this.mailIds.mint(context, key, { mailbox, topicId: topic && topic.id }, emails);
  }
}
