import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EmailAddress } from '../../email-address/email-address.js';
import { CAUSES } from '../../ledger/cause.js';
import {
  AdditionsRepository,
  type PresentSuppression,
} from '../../suppressions/additions/additions.repository.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { stillListed } from '../providers/providers.js';
import type { Source } from '../sources/source.entity.js';
import { AddressLocksRepository, lockFor } from './address-locks.repository.js';
import { mayReachLimit, withFailures, type SoftFailures } from './address-state.js';
import { groupBy } from './group-by.js';
import type { Judgment, JudgmentRules } from './judgment.js';
import { ReservedAddressesService, type Addresses } from './reserved-addresses.service.js';
import { judge } from './judge.js';
import {
  causesOf,
  isAboutList,
  isReport,
  isSoftFailure,
  type EventOutcome,
  type NewEvent,
  type ReceivedEvent,
} from './event-outcome.js';
import { TopicChoices } from './topic-choices.js';
import { SoftFailuresRepository } from './soft-failures.repository.js';

export interface Decisions {
  /** What the events did; events that are left out did nothing. */
  outcomes: EventOutcome[];
  /** What remains to be written, for each reserved address. */
  judgments: Judgment[];
}

/**
 * Applies new events to the list. It takes the same few statements, however many events there are. Locks are taken in the
 * order of the addresses, so that deliveries and requests to the API never deadlock.
 */
@Injectable()
export class ProjectionService {
  constructor(
    private readonly locks: AddressLocksRepository,
    private readonly additions: AdditionsRepository,
    private readonly reserved: ReservedAddressesService,
    private readonly softFailures: SoftFailuresRepository,
    private readonly topicChoices: TopicChoices,
  ) {}

  /**
   * Must be called before the transaction stores the events, so that deliveries that conflict about an address are judged as they
   * are stored.
   */
  async lock(source: Source, events: DeliveryEvent[], transaction: EntityManager): Promise<void> {
    const locks = events.flatMap((event) => lockFor(event, source) ?? []);
    if (locks.length > 0) {
      await this.locks.take(source.accountId, locks, transaction);
    }
  }

  /**
   * Finds the records that have the causes that the events report, for events that say nothing else about their address. A
   * record of an import is left out: it is reserved once, so that it outlives a revert.
   */
  async findPresent(
    { accountId }: Source,
    events: ReceivedEvent[],
    transaction: EntityManager,
  ): Promise<PresentSuppression[]> {
    const reported = [...byAddress(events)].filter(([, addressEvents]) => addressEvents.every(isReport));
    if (reported.length === 0) {
      return [];
    }
    const required = new Map(
      reported.map(([email, addressEvents]) => [email, { causes: causesOf(addressEvents) }]),
    );
    const records = await this.additions.findPresent(accountId, required, transaction);
    return records.filter(({ importId }) => importId === null);
  }

  /**
   * Applies choices about topics, and decides what the other events do to the list.
   *
   * @param options.events - stored by this transaction, which holds their locks
   * @param options.present - the result of {@link findPresent} for these events, and possibly for others
   */
  async judge(
    source: Source,
    { events, present }: { events: NewEvent[]; present: PresentSuppression[] },
    transaction: EntityManager,
  ): Promise<Decisions> {
    const choices = events.filter(({ topicId }) => topicId !== null);
    const chosen = await this.topicChoices.apply(source, choices, transaction);
    const addresses = byAddress(events);
    const repetitions = takeRepetitions(addresses, present);
    const failures = await this.findFailures(source, addresses, transaction);
    for (const [email, addressEvents] of addresses) {
      if (!addressEvents.some(isAboutList) && !mayReachLimit(source, addressEvents, failures.get(email))) {
        addresses.delete(email);
      }
    }
    const judgments = await this.judgeReserved(source, addresses, failures, transaction);
    const outcomes = [...chosen, ...repetitions, ...judgments.flatMap((judgment) => judgment.outcomes)];
    return { outcomes, judgments };
  }

  /** Writes what was decided to the list and the ledger. */
  async settle(source: Source, { judgments }: Decisions, transaction: EntityManager): Promise<void> {
    await this.reserved.settle(source, judgments, transaction);
  }

  /** The earlier soft failures of each address that failed again, if the source has a limit. */
  private async findFailures(
    source: Source,
    addresses: Addresses,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, SoftFailures>> {
    const { softLimit } = source.options;
    const failed = new Map([...addresses].filter(([, events]) => events.some(isSoftFailure)));
    return softLimit && failed.size > 0
      ? this.softFailures.find(source, softLimit, failed, transaction)
      : new Map();
  }

  private async judgeReserved(
    source: Source,
    addresses: Addresses,
    failures: Map<EmailAddress, SoftFailures>,
    transaction: EntityManager,
  ): Promise<Judgment[]> {
    if (addresses.size === 0) {
      return [];
    }
    const likelyCauses = new Map(
      [...addresses].map(([email, events]) => [email, causesOf(events)[0] ?? CAUSES[0]]),
    );
    const states = await this.reserved.reserve(source, addresses, likelyCauses, transaction);
    const rules = rulesOf(source);
    return states.map((state) =>
      judge(withFailures(state, failures.get(state.email)), addresses.get(state.email)!, rules),
    );
  }
}

function byAddress<Event extends ReceivedEvent>(events: Event[]): Map<EmailAddress, Event[]> {
  const addressed = events.filter(({ recipient, topicId }) => recipient !== null && topicId === null);
  return groupBy(addressed, ({ recipient }) => recipient!);
}

/**
 * Takes out the addresses whose events repeat what the list says already. They need no reservation: whatever becomes of the
 * record afterwards, these events came before it.
 */
function takeRepetitions(addresses: Addresses, present: PresentSuppression[]): EventOutcome[] {
  return present.flatMap(({ id, email }) => {
    const events = addresses.get(email) ?? [];
    addresses.delete(email);
    return events.map((event): EventOutcome => ({ event, outcome: 'nothing', suppressionId: id }));
  });
}

function rulesOf({ provider, options: { softLimit } }: Source): JudgmentRules {
  return { softLimit, stillListed: (cause) => stillListed(provider, cause) };
}
