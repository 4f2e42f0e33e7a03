import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EmailAddress } from '../../email-address/email-address.js';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import { ReservationsRepository } from '../../suppressions/reservations.repository.js';
import { SuppressionsRepository } from '../../suppressions/suppressions.repository.js';
import { AddressLocksRepository, type WantedLock } from './address-locks.repository.js';
import type { SoftFailures } from './address-state.js';
import { AddressStatesRepository } from './address-states.repository.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import type { NewEvent, Settlement } from './new-event.js';
import { Judge } from './judge.js';
import { SoftFailuresRepository } from './soft-failures.repository.js';
import type { Source } from '../sources/source.entity.js';

type Events = Map<EmailAddress, NewEvent[]>;

/**
 * Does to the list what new events say, those of one address in the order in which they were told. The statements are the
 * same few, however many events there are. Addresses are taken in their order, so that two deliveries at once, or a
 * delivery and a request to the API, never wait for each other in a circle.
 */
@Injectable()
export class ProjectionService {
  constructor(
    private readonly locks: AddressLocksRepository,
    private readonly suppressions: SuppressionsRepository,
    private readonly reservations: ReservationsRepository,
    private readonly states: AddressStatesRepository,
    private readonly softFailures: SoftFailuresRepository,
  ) {}

  /** Until the end of the transaction. To be asked for once in it, before it stores the events: their ids have their order. */
  async lock(source: Source, events: DeliveryEvent[], transaction: EntityManager): Promise<void> {
    const wanted = events.flatMap((event) => lockFor(event, source) ?? []);
    if (wanted.length > 0) {
      await this.locks.take(source.accountId, wanted, transaction);
    }
  }

  /**
   * @param events - whose addresses this transaction has locked
   * @returns what those events did or met that concern the list
   */
  async apply(source: Source, events: NewEvent[], transaction: EntityManager): Promise<Settlement[]> {
    const concerned = await this.concerned(source, byAddress(events), transaction);
    const met = await this.meet(source, concerned, transaction);
    const left = new Map([...concerned].filter(([recipient]) => !met.has(recipient)));
    const settlements = [...met.values()].flat();
    if (left.size === 0) {
      return settlements;
    }
    const judges = await this.judge(source, left, transaction);
    const actor = { type: 'source', id: source.id, name: source.name } as const;
    const records = judges.flatMap(({ finalRecord }) => finalRecord ?? []);
    const changes = judges.flatMap((judge) => judge.changes);
    if (records.length > 0) {
      await this.reservations.settle(source.accountId, actor, records, changes, transaction);
    }
    return [...settlements, ...judges.flatMap((judge) => judge.settlements)];
  }

  /** The events of those addresses whose place on the list may change. */
  private async concerned(source: Source, events: Events, transaction: EntityManager): Promise<Events> {
    const failing = await this.failing(source, events, transaction);
    const isConcerned = ([recipient, ofAddress]: [EmailAddress, NewEvent[]]) =>
      failing.has(recipient) || ofAddress.some(isAboutList);
    return new Map([...events].filter(isConcerned));
  }

  /** Those addresses to which too many mails may have failed. */
  private async failing(
    source: Source,
    events: Events,
    transaction: EntityManager,
  ): Promise<Set<EmailAddress>> {
    const most = source.options.softLimit?.failures ?? Infinity;
    const failures = await this.findFailures(source, events, transaction);
    const mayBeTooMany = ([recipient, { mails }]: [EmailAddress, SoftFailures]) =>
      mails.size + events.get(recipient)!.filter(isWatched).length >= most;
    return new Set([...failures].filter(mayBeTooMany).map(([recipient]) => recipient));
  }

  /**
   * Settles what is only told of records that are as strong already: it happens before whatever becomes of them, so they
   * need no lock. Nobody lifts them meanwhile.
   */
  private async meet(
    source: Source,
    events: Events,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, Settlement[]>> {
    const asked = new Map<EmailAddress, Cause>();
    for (const [recipient, ofAddress] of events) {
      if (ofAddress.every(isAgainst)) {
        asked.set(recipient, strongestOf(ofAddress));
      }
    }
    const found =
      asked.size > 0 ? await this.suppressions.findAsStrong(source.accountId, asked, transaction) : [];
    const settle = (suppressionId: string) => (event: NewEvent) =>
      ({ event, outcome: 'nothing', suppressionId }) as const;
    return new Map(found.map(({ id, email }) => [email, events.get(email)!.map(settle(id))]));
  }

  /**
   * Failures are looked up again under the reservation: a person may have removed the address while we waited, and earlier
   * failures no longer count.
   */
  private async judge(source: Source, events: Events, transaction: EntityManager): Promise<Judge[]> {
    const asked = new Map([...events].map(([recipient, ofAddress]) => [recipient, strongestOf(ofAddress)]));
    const placeholders = await this.reservations.reserve(source.accountId, asked, transaction);
    const states = await this.states.find(source, events, placeholders, transaction);
    const failures = await this.findFailures(source, events, transaction);
    return states.map((state) => {
      const { email } = state;
      const judge = new Judge(
        { ...state, failures: failures.get(email) ?? state.failures },
        source.options.softLimit,
      );
      events.get(email)!.forEach((event) => judge.take(event));
      return judge;
    });
  }

  /** Of each address that may have failed once more, if the source has a limit. */
  private async findFailures(
    source: Source,
    events: Events,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, SoftFailures>> {
    const { softLimit } = source.options;
    const watched = new Map([...events].filter(([, ofAddress]) => ofAddress.some(isWatched)));
    return softLimit && watched.size > 0
      ? this.softFailures.find(source, softLimit, watched, transaction)
      : new Map();
  }
}

/**
 * Whoever counts failures, or looks for something later to decide whether to lift, looks into the inbox; so nobody else
 * may be telling something that it would have to see.
 */
function lockFor({ recipient, effect }: DeliveryEvent, { options }: Source): WantedLock | undefined {
  if (recipient === null) {
    return undefined;
  }
  switch (effect) {
    case 'suppress':
    case 'suppress-if-absent':
      return { recipient, alone: false };
    case 'watch':
      return options.softLimit && { recipient, alone: true };
    case 'lift':
      return { recipient, alone: true };
    default:
      return undefined;
  }
}

function byAddress(events: NewEvent[]): Events {
  const found: Events = new Map();
  for (const event of events) {
    const { recipient } = event;
    if (recipient === null) {
      continue;
    }
    const ofAddress = found.get(recipient);
    if (ofAddress) {
      ofAddress.push(event);
    } else {
      found.set(recipient, [event]);
    }
  }
  return found;
}

function isAboutList(event: NewEvent): boolean {
  return isAgainst(event) || event.effect === 'lift';
}

function isAgainst({ effect }: NewEvent): boolean {
  return effect === 'suppress' || effect === 'suppress-if-absent';
}

/** What a record has to have so that these events change nothing; the weakest where it suffices that there is one. */
function strongestOf(events: NewEvent[]): Cause {
  const kinds = events.filter(({ effect }) => effect === 'suppress').map(({ kind }) => kind);
  return CAUSES.findLast((cause) => kinds.some((kind) => kind === cause)) ?? CAUSES[0];
}

function isWatched({ effect }: NewEvent): boolean {
  return effect === 'watch';
}
