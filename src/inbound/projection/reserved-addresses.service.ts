import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { chunksOf } from '../../database/row-set.js';
import { runTogether } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { ExpirySweep } from '../../suppressions/expiry-sweep.js';
import {
  ReservationsRepository,
  newPlaceholder,
  type Placeholder,
} from '../../suppressions/additions/reservations.repository.js';
import type { Source } from '../sources/source.entity.js';
import type { AddressState } from './address-state.js';
import { AddressStatesRepository } from './address-states.repository.js';
import { AllowingRulesRepository } from './allowing-rules.repository.js';
import type { NewEvent } from './event-outcome.js';
import type { Judgment } from './judgment.js';

/** The new events of each address, in the order in which they were reported. */
export type Addresses = Map<EmailAddress, NewEvent[]>;

@Injectable()
export class ReservedAddressesService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly states: AddressStatesRepository,
    private readonly expiry: ExpirySweep,
    private readonly allowingRules: AllowingRulesRepository,
  ) {}

  /** Reserves addresses and reads their states. Causes that have expired are ended first, since they no longer count. */
  async reserve(
    source: Source,
    addresses: Addresses,
    likelyCauses: Map<EmailAddress, Cause>,
    transaction: EntityManager,
  ): Promise<AddressState[]> {
    const first = newPlaceholders(likelyCauses);
    const states = await this.reserveWith(
      source,
      addresses,
      { placeholders: first, earlier: [] },
      transaction,
    );
    const expired = states.filter(({ record, now }) => record?.expiresAt && record.expiresAt <= now);
    if (expired.length === 0) {
      return this.withAllowingRules(source, states, addresses, transaction);
    }
    const emails = expired.map(({ email }) => email);
    await this.expiry.end(source.accountId, emails, transaction);
    const again = { placeholders: newPlaceholders(likelyCauses), earlier: first };
    const unexpired = await this.reserveWith(source, addresses, again, transaction);
    return this.withAllowingRules(source, unexpired, addresses, transaction);
  }

  private async reserveWith(
    source: Source,
    addresses: Addresses,
    { placeholders, earlier }: Record<'placeholders' | 'earlier', Placeholder[]>,
    transaction: EntityManager,
  ): Promise<AddressState[]> {
    const ids = [...earlier, ...placeholders].map(({ id }) => id);
    const [, states] = await runTogether(transaction, [
      () => this.reservations.reserve(source.accountId, placeholders, transaction),
      () => this.states.find(source, addresses, ids, transaction),
    ]);
    return states;
  }

  private async withAllowingRules(
    { accountId }: Source,
    states: AddressState[],
    addresses: Addresses,
    transaction: EntityManager,
  ): Promise<AddressState[]> {
    if (!states[0]?.hasRules) {
      return states;
    }
    const emails = new Map(
      states.map(({ email }) => [email, addresses.get(email)![0]!.erasedRecipient ?? email]),
    );
    const rules = await this.allowingRules.find(accountId, emails, transaction);
    return states.map((state) => ({ ...state, allowedBy: rules.get(state.email) ?? null }));
  }

  /** Writes the final records and their changes, and confirms records of imports. */
  async settle(source: Source, judgments: Judgment[], transaction: EntityManager): Promise<void> {
    const actor = { type: 'source', id: source.id, name: source.name } as const;
    const settled = judgments.filter(
      ({ changes, record, isConfirmed }) => changes.length > 0 || record === null || isConfirmed,
    );
    for (const records of chunksOf(settled)) {
      const changes = records.flatMap((judgment) => judgment.changes);
      await this.reservations.settle({ accountId: source.accountId, actor }, records, changes, transaction);
    }
  }
}

function newPlaceholders(causes: Map<EmailAddress, Cause>): Placeholder[] {
  return [...causes].map(([email, cause]) => newPlaceholder(email, cause));
}
