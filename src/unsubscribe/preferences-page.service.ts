import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../audit/request-context.js';
import { CausesRepository } from '../suppressions/suppression-lookup.js';
import type { ContactTopic, TopicWithChoice } from '../topics/contact.js';
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
  /** Whether the recipient is on the list, for any cause. */
  isSuppressed: boolean;
  /** Whether the recipient gets no mail of the link's topic. */
  isOptedOut: boolean;
  /** Whether this link made the change that the page shows, so that it can be undone. */
  canUndo: boolean;
  /** Whether only the sender can send mailings again, because a link cannot lift a complaint. */
  needsSender: boolean;
  /** The form below, if there is one: to choose topics, or to receive mailings again. */
  form: 'preferences' | 'resubscribe' | null;
  offered: TopicWithChoice[];
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
    const canUndo = isUnsubscribed ? undo.everything : undo.topic;
    const needsSender = isUnsubscribed && !canUndo && causes.some(({ cause }) => cause === 'complaint');
    const offered = topics.filter((offer) => isOffered(offer, link));
    const wayBack = canUndo || needsSender ? null : 'resubscribe';
    const choice = topic !== null || offered.length > 0 ? 'preferences' : null;
    return {
      link,
      senderName,
      isUnsubscribed,
      isSuppressed: causes.length > 0,
      isOptedOut: topics.some((offer) => offer.topic.id === topic?.id && offer.subscription === 'opt_out'),
      canUndo,
      needsSender,
      form: isUnsubscribed ? wayBack : choice,
      offered,
    };
  }

  /** Stores choices, or unsubscribes from everything. */
  async save(
    context: RequestContext,
    link: Link,
    { everything, shown, selected }: ChosenPreferences,
  ): Promise<void> {
    if (everything) {
      return this.optOuts.optOutOfEverything(context, link);
    }
    const choices = choicesAmong(await this.topicsIn(link, shown), selected);
    await this.optOuts.choose(context, link, { via: 'page', choices });
  }

  /**
   * Stores choices, including those that equal the default of their topic, and ends the unsubscribe from everything.
   *
   * @returns false, after no change, if the form showed topics and none is selected
   */
  async resubscribe(
    context: RequestContext,
    link: Link,
    { shown, selected }: ChosenPreferences,
  ): Promise<boolean> {
    const topics = await this.topicsIn(link, shown);
    const ticked = topics.filter(({ topic }) => selected.has(topic.id));
    const isChosen = topics.length === 0 || ticked.length > 0;
    if (isChosen) {
      const choices = choicesAmong(topics, selected);
      ticked.forEach(({ topic }) => choices.set(topic.id, 'opt_in'));
      await this.optOuts.resubscribe(context, link, choices);
    }
    return isChosen;
  }

  /** The topics in the form that the recipient may choose. */
  private async topicsIn(
    { accountId, email, topic }: Link,
    shown: ReadonlySet<string>,
  ): Promise<TopicWithChoice[]> {
    const topics = await this.preferences.offeredTo(accountId, email, topic?.id);
    return topics.filter((offer) => isOffered(offer, { topic }) && shown.has(offer.topic.id));
  }
}

/**
 * The choices that differ from the current state. Repeated choices are included, so that they survive the revert of an import.
 */
function choicesAmong(topics: TopicWithChoice[], selected: ReadonlySet<string>): Map<string, Subscription> {
  const choices = topics
    .map(({ topic, subscription, chosenAt }) => {
      const chosen: Subscription = selected.has(topic.id) ? 'opt_in' : 'opt_out';
      return { id: topic.id, subscription, chosenAt, chosen };
    })
    .filter(({ subscription, chosenAt, chosen }) => subscription !== chosen || chosenAt !== null);
  return new Map(choices.map(({ id, chosen }) => [id, chosen]));
}

/** Shows a private topic only to recipients who joined it or have a link to it. */
function isOffered({ topic, subscription }: ContactTopic, link: Pick<Link, 'topic'>): boolean {
  const hasJoined = subscription === 'opt_in' && topic.defaultSubscription === 'opt_out';
  return (
    topic.archivedAt === null && (topic.visibility === 'public' || topic.id === link.topic?.id || hasJoined)
  );
}
