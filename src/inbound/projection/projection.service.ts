import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { chunksOf, groupBy } from '../../database/rows.js';
import { runTogether } from '../../database/run-together.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { CAUSES, maskOf } from '../../ledger/cause.js';
import {
  AdditionsRepository,
  type PresentSuppression,
} from '../../suppressions/additions/additions.repository.js';
import {
  newPlaceholder,
  ReservationsRepository,
  type Placeholder,
} from '../../suppressions/additions/reservations.repository.js';
import { ExpirySweep } from '../../suppressions/expiry-sweep.js';
import { stillListed } from '../providers/providers.js';
import type { Source } from '../sources/source.entity.js';
import {
  mayReachLimit,
  remainingFailures,
  type AddressState,
  type Judgment,
  type JudgmentRules,
  type SoftFailures,
} from './address-state.js';
import { findSoftFailures, withAllowingRules, withOwnEntries } from './rare-facts.js';
import {
  causesOf,
  isAboutList,
  isReport,
  isSoftFailure,
  type EventOutcome,
  type NewEvent,
  type ReceivedEvent,
} from './event-outcome.js';
import { findStates } from './find-states.js';
import { judge } from './judge.js';
import { TopicChoices } from './topic-choices.js';

/** The new events of each address, in the order in which they were reported. */
type Addresses = Map<EmailAddress, NewEvent[]>;

export interface Decisions {
  /** The outcomes of the events. Events without an outcome did nothing. */
  outcomes: EventOutcome[];
  /** The judgments that remain to be written, one for each reserved address. */
  judgments: Judgment[];
}

/**
 * Applies new events to the list. It takes the same few statements, however many events there are. Locks are taken in the
 * order of the addresses, so that deliveries and requests to the API never deadlock.
 */
@Injectable()
export class ProjectionService {
  constructor(
    private readonly additions: AdditionsRepository,
    private readonly reservations: ReservationsRepository,
    private readonly expiry: ExpirySweep,
    private readonly topicChoices: TopicChoices,
  ) {}

  /**
   * Finds the records that already have the causes that the events report, for events that say nothing else about their
   * address. It leaves out new manual entries, which may be the service's own, and imported records, which must be reserved
   * once, so that they survive a revert.
   */
  async findPresent(
    { accountId }: Source,
    events: ReceivedEvent[],
    transaction: EntityManager,
  ): Promise<PresentSuppression[]> {
    const reported = [...byAddress(events)].filter(([, addressEvents]) =>
      addressEvents.every(
        (event) => isReport(event) && !(event.kind === 'manual' && event.effect === 'suppress'),
      ),
    );
    if (reported.length === 0) {
      return [];
    }
    const required = new Map(
      reported.map(([email, addressEvents]) => [
        email,
        { causes: maskOf(causesOf(addressEvents)), endsAt: -Infinity },
      ]),
    );
    const records = await this.additions.findPresent(accountId, required, transaction);
    return records.filter(({ importId }) => importId === null);
  }

  /**
   * Applies choices about topics, and decides the effects of the other events on the list.
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
    const chosen = choices.length > 0 ? await this.topicChoices.apply(source, choices, transaction) : [];
    const addresses = byAddress(events);
    const repetitions = takeRepetitions(addresses, present);
    const failures = await failuresOf(source, addresses, transaction);
    for (const [email, addressEvents] of addresses) {
      if (!addressEvents.some(isAboutList) && !mayReachLimit(source, addressEvents, failures.get(email))) {
        addresses.delete(email);
      }
    }
    const judgments = await this.judgeReserved(source, addresses, failures, transaction);
    const outcomes = [...chosen, ...repetitions, ...judgments.flatMap((judgment) => judgment.outcomes)];
    return { outcomes, judgments };
  }

  /** Writes the final records and their changes, and confirms records of imports. */
  async settle(source: Source, { judgments }: Decisions, transaction: EntityManager): Promise<void> {
    const actor = { type: 'source', id: source.id, name: source.name } as const;
    const settled = judgments.filter(
      ({ changes, record, isConfirmed }) => changes.length > 0 || record === null || isConfirmed,
    );
    for (const records of chunksOf(settled)) {
      const changes = records.flatMap((judgment) => judgment.changes);
      await this.reservations.settle({ accountId: source.accountId, actor }, records, changes, transaction);
    }
  }

  private async judgeReserved(
    source: Source,
    addresses: Addresses,
    earlierFailures: Map<EmailAddress, SoftFailures>,
    transaction: EntityManager,
  ): Promise<Judgment[]> {
    if (addresses.size === 0) {
      return [];
    }
    const reserved = await this.reserve(source, addresses, transaction);
    const ruled = await withAllowingRules(source.accountId, reserved, addresses, transaction);
    const states = await withOwnEntries(source, ruled, addresses, transaction);
    const failuresNow = await failuresOf(source, addresses, transaction);
    const rules = rulesOf(source);
    return states.map((state) => {
      const { email } = state;
      const failures = remainingFailures(earlierFailures.get(email), failuresNow.get(email));
      return judge({ ...state, failures }, addresses.get(email)!, rules);
    });
  }

  /** Reserves addresses and reads their states. Causes that have expired are ended first, since they no longer count. */
  private async reserve(
    source: Source,
    addresses: Addresses,
    transaction: EntityManager,
  ): Promise<AddressState[]> {
    const first = newPlaceholders(addresses);
    const states = await this.reserveWith(source, addresses, first, first, transaction);
    const expired = states.filter(({ record, now }) => record?.expiresAt && record.expiresAt <= now);
    if (expired.length === 0) {
      return states;
    }
    await this.expiry.endExpiredCauses(
      source.accountId,
      expired.map(({ email }) => email),
      transaction,
    );
    const second = newPlaceholders(addresses);
    return this.reserveWith(source, addresses, second, [...first, ...second], transaction);
  }

  /** @param all - all records, including those that were inserted before */
  private async reserveWith(
    source: Source,
    addresses: Addresses,
    placeholders: Placeholder[],
    all: Placeholder[],
    transaction: EntityManager,
  ): Promise<AddressState[]> {
    const ids = all.map(({ id }) => id);
    const [, states] = await runTogether(transaction, [
      () => this.reservations.reserve(source.accountId, placeholders, transaction),
      () => findStates(source, addresses, ids, transaction),
    ]);
    return states;
  }
}

/** Creates placeholders with the cause that each record will probably get. */
function newPlaceholders(addresses: Addresses): Placeholder[] {
  return [...addresses].map(([email, events]) => newPlaceholder(email, causesOf(events)[0] ?? CAUSES[0]));
}

/** The earlier soft failures of each address that failed again, if the source has a limit. */
async function failuresOf(
  source: Source,
  addresses: Addresses,
  transaction: EntityManager,
): Promise<Map<EmailAddress, SoftFailures>> {
  const { softLimit } = source.options;
  const failed = new Map([...addresses].filter(([, events]) => events.some(isSoftFailure)));
  return softLimit && failed.size > 0 ? findSoftFailures(source, softLimit, failed, transaction) : new Map();
}

function byAddress<Event extends ReceivedEvent>(events: Event[]): Map<EmailAddress, Event[]> {
  const addressed = events.filter(({ recipient, topicId }) => recipient !== null && topicId === null);
  return groupBy(addressed, ({ recipient }) => recipient!);
}

/**
 * Removes addresses whose events repeat what is already on the list. They need no reservation: whatever happens to the record
 * later, these events came before it.
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
