import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountContext, Identity, RequestContext } from '../audit/request-context.js';
import { transactionBefore, type WriteContext } from '../database/transaction.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn } from '../ledger/cause.js';
import type { RecipientEvidence } from '../ledger/evidence.js';
import { SuppressionChange, type Action } from '../ledger/suppression-change.entity.js';
import { AdditionsService } from '../suppressions/additions/additions.service.js';
import { RemovalsRepository } from '../suppressions/removals.repository.js';
import { Suppression } from '../suppressions/suppression.entity.js';
import { PreferencesRepository } from '../topics/preferences.repository.js';
import { TopicPreference, type PreferenceChannel, type Subscription } from '../topics/topic.entity.js';
import { recipientOf, type Link } from './link.js';
import { LinksService } from './links.service.js';

const CAUSE = 'unsubscribe';
const ADDITIONS: readonly Action[] = ['added', 'strengthened', 'cause_added'];

/** The changes of a link that an undo reverts. */
export interface Undo {
  everything: boolean;
  topic: boolean;
}

interface TopicChoices {
  via: PreferenceChannel;
  /** Keyed by topic id. */
  choices: Map<string, Subscription>;
}

@Injectable()
export class OptOutsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: LinksService,
    private readonly additions: AdditionsService,
    private readonly removals: RemovalsRepository,
    private readonly preferences: PreferencesRepository,
  ) {}

  /** Opts out of the link's topic, or unsubscribes from everything if it has none. */
  async optOut(context: RequestContext, link: Link, via: PreferenceChannel): Promise<void> {
    if (link.topic) {
      await this.choose(context, link, { via, choices: new Map([[link.topic.id, 'opt_out']]) });
    } else {
      await this.optOutOfEverything(context, link);
    }
  }

  async optOutOfEverything(context: RequestContext, link: Link): Promise<void> {
    await this.additions.unsubscribe(context, link, context);
  }

  /**
   * Opts out the recipients whose `mailto:` addresses received a message. Such an address is the credential, as the token of a
   * link is; the sender of the message does not matter, since people write from any of their addresses.
   *
   * @param addresses - the recipients of the message
   * @returns whether one of them is the address of a `mailto:` link
   */
  async optOutByMail(
    { accountId, deadline }: AccountContext,
    addresses: readonly string[],
  ): Promise<boolean> {
    const links = await this.links.findByMailboxes(accountId, addresses);
    for (const link of links) {
      await this.optOut({ accountId, actor: recipientOf(link, 'mail'), deadline }, link, 'mail');
    }
    return links.length > 0;
  }

  async choose(
    context: RequestContext,
    { email, emailId }: Link,
    { via, choices }: TopicChoices,
    on: WriteContext = context,
  ): Promise<void> {
    const rows = [...choices].map(([topicId, subscription]) => ({
      email,
      topicId,
      subscription,
      emailId,
      occurredAt: null,
      eventId: null,
      note: null,
    }));
    await this.preferences.set(context, rows, { via, optIns: 'any' }, on);
  }

  /** The changes that an undo would revert: changes by this link that nobody has changed since. */
  async findUndo(link: Link): Promise<Undo> {
    const { manager } = this.dataSource;
    return {
      everything: await this.hasUnsubscribed(link, manager),
      topic: await this.hasOptedOut(link, manager),
    };
  }

  /** Reverts the changes of this link. Each row is locked before the decision, so that it does not change in between. */
  async undo(context: RequestContext, link: Link): Promise<void> {
    const { accountId, email, topic } = link;
    await transactionBefore(this.dataSource, context, async (transaction) => {
      if (topic) {
        await lock(transaction, TopicPreference, { accountId, email, topicId: topic.id });
        if (await this.hasOptedOut(link, transaction)) {
          const choices = new Map([[topic.id, 'opt_in']] as const);
          await this.choose(context, link, { via: 'page', choices }, transaction);
        }
      }
      await lock(transaction, Suppression, { accountId, email });
      if (await this.hasUnsubscribed(link, transaction)) {
        await this.liftUnsubscribe(context, email, transaction);
      }
    });
  }

  /**
   * Ends the unsubscribe from everything, regardless of who recorded it: the recipient wants mail now. Other causes stay. After a
   * complaint, the choices are stored, but the unsubscribe stays, so that it applies if the account lifts the complaint.
   *
   * @param choices - keyed by topic id
   */
  async resubscribe(context: RequestContext, link: Link, choices: Map<string, Subscription>): Promise<void> {
    await transactionBefore(this.dataSource, context, async (transaction) => {
      await this.choose(context, link, { via: 'page', choices }, transaction);
      const { accountId, email } = link;
      const record = await lock(transaction, Suppression, { accountId, email });
      if (record?.cause !== 'complaint') {
        await this.liftUnsubscribe(context, email, transaction);
      }
    });
  }

  private async liftUnsubscribe(
    identity: Identity,
    email: EmailAddress,
    transaction: EntityManager,
  ): Promise<void> {
    const removal = { cause: CAUSE, note: null, liftable: [CAUSE] } as const;
    await this.removals.lift(identity, { emails: [email] }, removal, transaction);
  }

  /** Whether the link's unsubscribe is the last change of that cause, and the recipient was not unsubscribed before. */
  private async hasUnsubscribed(
    { accountId, email, tokenHash }: Link,
    manager: EntityManager,
  ): Promise<boolean> {
    const [last, before] = await manager.find(SuppressionChange, {
      where: { accountId, email, cause: CAUSE },
      order: { revision: 'DESC' },
      take: 2,
    });
    const isRepetition =
      before !== undefined &&
      before.suppressionId === last?.suppressionId &&
      ADDITIONS.includes(before.action);
    const record =
      wasMadeBy(last, tokenHash) && !isRepetition
        ? await manager.findOneBy(Suppression, { accountId, email })
        : null;
    return record !== null && hasCause(record);
  }

  /** Whether the link's opt-out is the last change, and the recipient got the topic's mail before. */
  private async hasOptedOut(
    { accountId, email, topic, tokenHash }: Link,
    manager: EntityManager,
  ): Promise<boolean> {
    if (!topic) {
      return false;
    }
    const [last, before] = await manager.find(SuppressionChange, {
      where: { accountId, email, topicId: topic.id },
      order: { revision: 'DESC' },
      take: 2,
    });
    const wasOptedIn = before ? before.action === 'opted_in' : topic.defaultSubscription === 'opt_in';
    return last?.action === 'opted_out' && wasMadeBy(last, tokenHash) && wasOptedIn;
  }
}

function hasCause({ cause, weakerCauses }: Suppression): boolean {
  return cause === CAUSE || causesIn(weakerCauses).includes(CAUSE);
}

function wasMadeBy(change: SuppressionChange | undefined, tokenHash: string): boolean {
  return (change?.evidence as Partial<RecipientEvidence> | null | undefined)?.token_hash === tokenHash;
}

async function lock<Row extends object>(
  transaction: EntityManager,
  entity: new () => Row,
  where: object,
): Promise<Row | null> {
  return transaction.findOne(entity, { where, lock: { mode: 'pessimistic_write' } });
}
