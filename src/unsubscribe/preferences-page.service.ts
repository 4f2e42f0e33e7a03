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
  /** Whether the recipient is on the list for a cause other than an unsubscribe. */
  isSuppressedOtherwise: boolean;
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
  /**
   * Whether the page showed each topic of its form as ticked, by id; undefined if the form does not say so, as in version 0.2.0.
   * A topic that was created since is not among them.
   */
  shown: ReadonlyMap<string, boolean | undefined>;
  selected: ReadonlySet<string>;
}

interface TopicInForm extends TopicWithChoice {
  wasTicked: boolean;
  isTicked: boolean;
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
      isSuppressedOtherwise: causes.some(({ cause }) => cause !== 'unsubscribe'),
      isOptedOut: topics.some((offer) => offer.topic.id === topic?.id && offer.subscription === 'opt_out'),
      canUndo,
      needsSender,
      form: isUnsubscribed ? wayBack : choice,
      offered,
    };
  }

  /** Stores what the recipient changed in the form, or unsubscribes from everything. */
  async save(context: RequestContext, link: Link, chosen: ChosenPreferences): Promise<void> {
    if (chosen.everything) {
      return this.optOuts.optOutOfEverything(context, link);
    }
    const choices = choicesIn(await this.topicsIn(link, chosen));
    await this.optOuts.choose(context, link, { via: 'page', choices });
  }

  /**
   * Stores what the recipient changed in the form, opts out of topics that get mail only by default and stayed unticked, and ends
   * the unsubscribe from everything.
   *
   * @returns false, after no change, if the form showed topics and the recipient gets mail of no ticked one
   */
  async resubscribe(context: RequestContext, link: Link, chosen: ChosenPreferences): Promise<boolean> {
    const topics = await this.topicsIn(link, chosen);
    const choices = choicesIn(topics);
    topics
      .filter(({ isTicked, subscription, chosenAt }) => !isTicked && subscription === 'opt_in' && !chosenAt)
      .forEach(({ topic }) => choices.set(topic.id, 'opt_out'));
    const isChosen =
      topics.length === 0 ||
      topics.some(
        ({ topic, isTicked, subscription }) =>
          isTicked && (choices.get(topic.id) ?? subscription) === 'opt_in',
      );
    if (isChosen) {
      await this.optOuts.resubscribe(context, link, choices);
    }
    return isChosen;
  }

  /** The topics in the form that the recipient may choose. */
  private async topicsIn(
    { accountId, email, topic }: Link,
    { shown, selected }: ChosenPreferences,
  ): Promise<TopicInForm[]> {
    const topics = await this.preferences.offeredTo(accountId, email, topic?.id);
    return topics
      .filter((offer) => isOffered(offer, { topic }) && shown.has(offer.topic.id))
      .map((offer) => ({
        ...offer,
        // If the form does not say so, a stored opt-out may be newer than the page.
        wasTicked: shown.get(offer.topic.id) ?? (offer.subscription === 'opt_in' || offer.chosenAt !== null),
        isTicked: selected.has(offer.topic.id),
      }));
  }
}

/**
 * The choices that differ from what the page showed, since an opt-out that is newer than the page must stay. Repeated opt-outs are
 * included, so that they survive the revert of an import.
 */
function choicesIn(topics: TopicInForm[]): Map<string, Subscription> {
  const choices = topics.filter(
    ({ wasTicked, isTicked, subscription, chosenAt }) =>
      isTicked !== wasTicked || (!isTicked && subscription === 'opt_out' && chosenAt !== null),
  );
  return new Map(choices.map(({ topic, isTicked }) => [topic.id, isTicked ? 'opt_in' : 'opt_out']));
}

/** Shows a private topic only to recipients who joined it or have a link to it. */
function isOffered({ topic, subscription }: ContactTopic, link: Pick<Link, 'topic'>): boolean {
  const hasJoined = subscription === 'opt_in' && topic.defaultSubscription === 'opt_out';
  return (
    topic.archivedAt === null && (topic.visibility === 'public' || topic.id === link.topic?.id || hasJoined)
  );
}
