import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError } from '../http/errors/errors.js';
import { OperatorError } from '../process/operator-error.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import { TopicsService } from '../topics/topics.service.js';
import { digitsOf, MailIdsRepository } from '../unsubscribe-links/mail-ids.repository.js';
import { keyIdOf, openToken, type LinkTarget, type UnsubscribeKey } from '../unsubscribe-links/token.js';
import { UnsubscribeKeysService } from '../unsubscribe-links/unsubscribe-keys.service.js';
import type { Link } from './link.js';

type Use = 'oneForReading' | 'oneForWriting';

@Injectable()
export class LinksService {
  private readonly logger = new Logger(LinksService.name);

  constructor(
    private readonly keys: UnsubscribeKeysService,
    private readonly mailIds: MailIdsRepository,
    private readonly topics: TopicsService,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * The link of a token; null if the token is not valid.
   *
   * @param use - the use of the link; a page that only shows something is available while the address is being erased
   * @throws {AddressBeingErasedError} for writing, while the address is being erased
   * @throws {ServiceUnavailableError} when the key of the token cannot be read now
   */
  async find(token: string, use: Use): Promise<Link | null> {
    const opened = await this.open(token);
    return opened && this.toLink(opened.accountId, opened.target, token, use);
  }

  /**
   * What a token of the account was made for; null if it is not valid, or is one of another account.
   *
   * @throws {ServiceUnavailableError} when the key of the token cannot be read now
   */
  async findTarget(accountId: number, token: string): Promise<LinkTarget | null> {
    const opened = await this.open(token);
    return opened?.accountId === accountId ? opened.target : null;
  }

  /** The links of the addresses that belong to `mailto:` links of the account. */
  async findByMailboxes(accountId: number, addresses: readonly string[]): Promise<Link[]> {
    const found = await this.mailIds.find(accountId, addresses);
    const links = await Promise.all(
      found.map((mailId) =>
        this.toLink(accountId, { ...mailId, emailId: null }, digitsOf(mailId.id), 'oneForWriting'),
      ),
    );
    return links.filter((link) => link !== null);
  }

  private async open(token: string): Promise<{ accountId: number; target: LinkTarget } | null> {
    const keyId = keyIdOf(token);
    const key = keyId === undefined ? null : await this.findKey(keyId);
    const target = key && openToken(key, token);
    return target ? { accountId: key.accountId, target } : null;
  }

  private async toLink(
    accountId: number,
    { email: recipient, topicId, emailId }: Pick<Link, 'email' | 'emailId'> & { topicId: string | null },
    token: string,
    use: Use,
  ): Promise<Link | null> {
    const [topic = null] = topicId === null ? [] : await this.topics.findEvenArchived(accountId, [topicId]);
    const tokenHash = createHash('sha256').update(token).digest('hex');
    if (topicId !== null && !topic) {
      return null;
    }
    const email = await this.storedNames[use](accountId, recipient);
    return { accountId, email, recipient, topic, emailId, tokenHash };
  }

  private async findKey(id: number): Promise<UnsubscribeKey | null> {
    try {
      return await this.keys.find(id);
    } catch (error) {
      if (error instanceof OperatorError) {
        this.logger.error({ msg: 'the key of an unsubscribe link cannot be read', reason: error.message });
        throw new ServiceUnavailableError('The key of this link cannot be read. Try again later.');
      }
      throw error;
    }
  }
}
