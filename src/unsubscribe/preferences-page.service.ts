import { Injectable } from '@nestjs/common';
import type { Actor } from '../ledger/actor.js';
import { CausesRepository } from '../suppressions/additions/causes.repository.js';
import type { ContactTopic } from '../topics/contact-topic.js';
import { PreferencesService } from '../topics/preferences.service.js';
import type { Subscription } from '../topics/topic.entity.js';
import { UnsubscribeSettingsService } from '../unsubscribe-links/unsubscribe-settings.service.js';
import type { Link } from './link.js';
import { OptOutsService } from './opt-outs.service.js';

export interface PageState {
  link: Link;
  senderName: string | null;
  /** Whether the recipient gets no mailings at all. */
  isUnsubscribed: boolean;
  /** Whether the recipient is on the list for whatever cause. */
  isSuppressed: boolean;
  /** Whether the recipient gets no mail of the link's topic. */
  isOptedOut: boolean;
  /** Whether the recipient reported mail as spam, which only the account can lift. */
  hasComplained: boolean;
  /** Whether this link made the change that the page shows, so that it can be undone. */
  canUndo: boolean;
  offered: ContactTopic[];
}

export interface ChosenPreferences {
  everything: boolean;
  /** The ids of the topics in the form. A topic that was created since is not among them. */
  shown: ReadonlySet<string>;
  selected: ReadonlySet<string>;
}

@Injectable()
export class PreferencesPageService {
  constructor(
    private readonly causes: CausesRepository,
    private readonly preferences: PreferencesService,
    private readonly settings: UnsubscribeSettingsService,
    private readonly optOuts: OptOutsService,
  ) {}

  async getState(link: Link): Promise<PageState> {
    const { accountId, email, topic } = link;
    const [causes, topics, undo, { senderName }] = await Promise.all([
      this.causes.findAll(accountId, email),
      this.preferences.offeredTo(accountId, email, topic?.id),
      this.optOuts.findUndo(link),
      this.settings.get(accountId),
    ]);
    const isUnsubscribed = causes.some(({ cause }) => cause === 'unsubscribe');
    return {
      link,
      senderName,
      isUnsubscribed,
      isSuppressed: causes.length > 0,
      isOptedOut: topics.some((offer) => offer.topic.id === topic?.id && offer.subscription === 'opt_out'),
      hasComplained: causes.some(({ cause }) => cause === 'complaint'),
      canUndo: isUnsubscribed ? undo.everything : undo.topic,
      offered: topics.filter((offer) => isOffered(offer, link)),
    };
  }

  /**
   * Stores choices that differ from the current state, and repeats earlier ones, so that they survive the revert of an import.
   */
  async save(link: Link, actor: Actor, chosen: ChosenPreferences, deadline: number): Promise<void> {
    await (chosen.everything
      ? this.optOuts.optOutOfEverything(link, actor, deadline)
      : this.optOuts.choose(link, actor, 'page', await this.choicesOf(link, chosen), { deadline }));
  }

  /** Stores choices in the same way, and ends the unsubscribe from everything. */
  async resubscribe(link: Link, actor: Actor, chosen: ChosenPreferences, deadline: number): Promise<void> {
    await this.optOuts.resubscribe(link, actor, await this.choicesOf(link, chosen), deadline);
  }

  private async choicesOf(
    link: Link,
    { shown, selected }: ChosenPreferences,
  ): Promise<Map<string, Subscription>> {
    const topics = await this.preferences.offeredTo(link.accountId, link.email, link.topic?.id);
    const choices = topics
      .filter((offer) => isOffered(offer, link))
      .filter(({ topic }) => shown.has(topic.id))
      .map(({ topic, subscription, chosenAt }) => {
        const chosen: Subscription = selected.has(topic.id) ? 'opt_in' : 'opt_out';
        return { id: topic.id, subscription, chosenAt, chosen };
      })
      .filter(({ subscription, chosenAt, chosen }) => subscription !== chosen || chosenAt !== null)
      .map(({ id, chosen }) => [id, chosen] as const);
    return new Map(choices);
  }
}

/** Shows a private topic only to recipients who joined it or have a link to it. */
function isOffered({ topic, subscription }: ContactTopic, link: Link): boolean {
  const hasJoined = subscription === 'opt_in' && topic.defaultSubscription === 'opt_out';
  return (
    topic.archivedAt === null && (topic.visibility === 'public' || topic.id === link.topic?.id || hasJoined)
  );
}
