import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { chunksOf } from '../../database/chunks-of.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import { CausesRepository } from '../../suppressions/causes.repository.js';
import { ExpiryRepository } from '../../suppressions/expiry.repository.js';
import { ReservationsRepository } from '../../suppressions/reservations.repository.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { stillListed } from '../providers/still-listed.js';
import type { Source } from '../sources/source.entity.js';
import { AddressLocksRepository, type AddressLock } from './address-locks.repository.js';
import type { AddressState, SoftFailures } from './address-state.js';
import { AllowingRulesRepository } from './allowing-rules.repository.js';
import { AddressStatesRepository } from './address-states.repository.js';
import { groupBy } from './group-by.js';
import { judge, type EventOutcome, type Judgment, type JudgmentRules } from './judge.js';
import type { NewEvent } from './new-event.js';
import { TopicChoices } from './topic-choices.js';
import { countArrival, NO_FAILURES } from './soft-failures.js';
import { SoftFailuresRepository } from './soft-failures.repository.js';

/** The new events of each address, in the order in which they were reported. */
type Addresses = Map<EmailAddress, NewEvent[]>;

/**
 * Applies new events to the list. It takes the same few statements, however many events there are. Locks are taken in the
 * order of the addresses, so that deliveries and requests to the API never deadlock.
 */
@Injectable()
export class ProjectionService {
  constructor(
    private readonly locks: AddressLocksRepository,
    private readonly causes: CausesRepository,
    private readonly reservations: ReservationsRepository,
    private readonly states: AddressStatesRepository,
    private readonly softFailures: SoftFailuresRepository,
    private readonly expiry: ExpiryRepository,
    private readonly allowingRules: AllowingRulesRepository,
    private readonly topicChoices: TopicChoices,
  ) {}

  /** Must be called before the transaction stores the events, so that their ids have the order in which they are judged. */
  async lock(source: Source, events: DeliveryEvent[], transaction: EntityManager): Promise<void> {
    const locks = events.flatMap((event) => lockFor(event, source) ?? []);
    if (locks.length > 0) {
      await this.locks.take(source.accountId, locks, transaction);
    }
  }

  /**
   * @param events - stored by this transaction, which holds their locks
   * @returns what the events did to the list; events that are left out did nothing
   */
  async apply(source: Source, events: NewEvent[], transaction: EntityManager): Promise<EventOutcome[]> {
    const choices = events.filter(({ topicId }) => topicId !== null);
    const chosen = await this.topicChoices.apply(source, choices, transaction);
    const addressed = events.filter(({ recipient, topicId }) => recipient !== null && topicId === null);
    const addresses = groupBy(addressed, ({ recipient }) => recipient!);
    const repetitions = await this.takeRepetitions(source, addresses, transaction);
    const failures = await this.findFailures(source, addresses, transaction);
    for (const [email, ofAddress] of addresses) {
      if (!ofAddress.some(isAboutList) && !mayReachLimit(source, ofAddress, failures.get(email))) {
        addresses.delete(email);
      }
    }
    const judgments = await this.judgeReserved(source, addresses, failures, transaction);
    return [...chosen, ...repetitions, ...judgments.flatMap(({ outcomes }) => outcomes)];
  }

  /**
   * Takes out the addresses whose events repeat what the list says already: there is a record, and it has their causes.
   * They need no reservation. Whatever becomes of the record afterwards, these events came before it.
   */
  private async takeRepetitions(
    { accountId }: Source,
    addresses: Addresses,
    transaction: EntityManager,
  ): Promise<EventOutcome[]> {
    const reported = [...addresses].filter(([, events]) => events.every(isReport));
    if (reported.length === 0) {
      return [];
    }
    const wanted = new Map(reported.map(([email, events]) => [email, { causes: causesOf(events) }]));
    const records = await this.causes.findPresent(accountId, wanted, transaction);
    return records.flatMap(({ id, email }) => {
      const events = addresses.get(email)!;
      addresses.delete(email);
      return events.map((event): EventOutcome => ({ event, outcome: 'nothing', suppressionId: id }));
    });
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

  /** Reserves addresses, judges their events, and writes what follows from them. */
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
    const reserved = await this.reserve(source, addresses, likelyCauses, transaction);
    const states = await this.withAllowingRules(source, reserved, transaction);
    const rules = rulesOf(source);
    const judgments = states.map((state) =>
      judge(withFailures(state, failures.get(state.email)), addresses.get(state.email)!, rules),
    );
    await this.settle(source, judgments, transaction);
    return judgments;
  }

  /** Reserves addresses and reads their states. Causes that have expired are ended first, since they no longer count. */
  private async reserve(
    source: Source,
    addresses: Addresses,
    likelyCauses: Map<EmailAddress, Cause>,
    transaction: EntityManager,
  ): Promise<AddressState[]> {
    const reserved = await this.reservations.reserve(source.accountId, likelyCauses, transaction);
    const states = await this.states.find(source, addresses, [...reserved.keys()], transaction);
    const expired = states.filter(({ record, now }) => record?.expiresAt && record.expiresAt <= now);
    if (expired.length === 0) {
      return states;
    }
    const emails = expired.map(({ email }) => email);
    await this.expiry.end(source.accountId, emails, transaction);
    const more = await this.reservations.reserve(source.accountId, likelyCauses, transaction);
    return this.states.find(source, addresses, [...reserved.keys(), ...more.keys()], transaction);
  }

  private async withAllowingRules(
    { accountId }: Source,
    states: AddressState[],
    transaction: EntityManager,
  ): Promise<AddressState[]> {
    if (!states[0]?.hasRules) {
      return states;
    }
    const emails = states.map(({ email }) => email);
    const rules = await this.allowingRules.find(accountId, emails, transaction);
    return states.map((state) => ({ ...state, allowedBy: rules.get(state.email) ?? null }));
  }

  private async settle(source: Source, judgments: Judgment[], transaction: EntityManager): Promise<void> {
    const actor = { type: 'source', id: source.id, name: source.name } as const;
    const settled = judgments.filter(({ changes, record }) => changes.length > 0 || record === null);
    for (const records of chunksOf(settled)) {
      const changes = records.flatMap((judgment) => judgment.changes);
      await this.reservations.settle(source.accountId, actor, records, changes, transaction);
    }
  }
}

/**
 * An event that counts or lifts reads the inbox, so it excludes all others about the address. Reports exclude only those.
 */
function lockFor({ recipient: email, effect }: DeliveryEvent, { options }: Source): AddressLock | undefined {
  if (email === null) {
    return undefined;
  }
  switch (effect) {
    case 'suppress':
    case 'suppress-if-absent':
      return { email, exclusive: false };
    case 'watch':
      return options.softLimit && { email, exclusive: true };
    case 'lift':
    case 'opt-out':
    case 'opt-in':
      return { email, exclusive: true };
    default:
      return undefined;
  }
}

function rulesOf({ provider, options: { softLimit } }: Source): JudgmentRules {
  return { softLimit, stillListed: (kind) => stillListed(provider, kind) };
}

/**
 * If the address was removed from the list after its failures were read, neither they count nor those of this delivery,
 * which were stored before the removal.
 */
function withFailures(state: AddressState, failures: SoftFailures = NO_FAILURES): AddressState {
  const isOutdated = !state.record && failures.lastRemoval !== (state.lastRemoval?.revision ?? null);
  return { ...state, failures: isOutdated ? countArrival(failures, Infinity) : failures };
}

function mayReachLimit({ options }: Source, events: NewEvent[], failures = NO_FAILURES): boolean {
  const limit = options.softLimit?.failures ?? Infinity;
  return failures.mails.size + events.filter(isSoftFailure).length >= limit;
}

/** The causes that the events ask for, the strongest first. */
function causesOf(events: NewEvent[]): Cause[] {
  const kinds = events.filter(({ effect }) => effect === 'suppress').map(({ kind }) => kind);
  return CAUSES.filter((cause) => kinds.some((kind) => kind === cause)).toReversed();
}

function isAboutList(event: NewEvent): boolean {
  return isReport(event) || event.effect === 'lift';
}

function isReport({ effect }: NewEvent): boolean {
  return effect === 'suppress' || effect === 'suppress-if-absent';
}

function isSoftFailure({ effect }: NewEvent): boolean {
  return effect === 'watch';
}
