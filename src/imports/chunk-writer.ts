import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { inSavepoint } from '../database/after-commit.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { AdditionsService } from '../suppressions/additions.service.js';
import type { Choice } from '../topics/choice.js';
import { PreferencesRepository } from '../topics/preferences.repository.js';
import { actorOfImport } from './import-actor.js';
import type { Written } from './import-progress.js';
import type { FoundImport } from './imports.repository.js';
import { LaterRemovalsRepository } from './later-removals.repository.js';
import type { Chunk, ReportedCause } from './read-chunk.js';

interface Attempt {
  added: number;
  strengthened: number;
  superseded: ReportedCause[];
}

/** Applies the addresses of a chunk. */
@Injectable()
export class ChunkWriter {
  constructor(
    private readonly additions: AdditionsService,
    private readonly preferences: PreferencesRepository,
    private readonly removals: LaterRemovalsRepository,
  ) {}

  /**
   * Applies what nobody removed since it happened. Only while the records are locked is that certain, so it looks for removals
   * after the write, and takes that back if there are any. The second attempt settles the chunk, unless a removal is committed
   * between the two.
   */
  async write(
    accountId: number,
    found: FoundImport,
    { addresses }: Chunk,
    transaction: EntityManager,
  ): Promise<Written> {
    const superseded = new Set<ReportedCause>();
    for (;;) {
      const left = withoutSuperseded(addresses, superseded);
      const work = () =>
        found.topicId === null
          ? this.suppress(accountId, found, left, transaction)
          : this.optOut(accountId, found, found.topicId, left, transaction);
      const attempt = await inSavepoint(transaction, work, isCurrent);
      if (isCurrent(attempt)) {
        const { added, strengthened } = attempt;
        return { added, strengthened, removedSince: countRows(superseded, left) };
      }
      attempt.superseded.forEach((one) => superseded.add(one));
    }
  }

  /** An address counts once, by its strongest cause that changed anything. */
  private async suppress(
    accountId: number,
    found: FoundImport,
    addresses: ReportedCause[][],
    transaction: EntityManager,
  ): Promise<Attempt> {
    const actor = actorOfImport(found);
    const actions = new Map<EmailAddress, Action>();
    const changed: ReportedCause[] = [];
    for (const part of inParts(addresses)) {
      const suppressed = await this.additions.suppress(accountId, actor, part, transaction);
      for (const one of part) {
        const { action } = suppressed.get(one.email)!;
        if (action) {
          changed.push(one);
          actions.set(one.email, actions.get(one.email) ?? action);
        }
      }
    }
    const superseded = await findWithDuplicates(
      (reported) => this.removals.findLifted(accountId, reported, transaction),
      changed,
      addresses,
      ({ email, cause }) => `${cause} ${email}`,
    );
    const added = [...actions.values()].filter((action) => action === 'added').length;
    return { added, strengthened: actions.size - added, superseded };
  }

  private async optOut(
    accountId: number,
    found: FoundImport,
    topicId: string,
    addresses: ReportedCause[][],
    transaction: EntityManager,
  ): Promise<Attempt> {
    const reported = addresses.map(([first]) => first!);
    const choices = reported.map(({ email, occurredAt, note }): Choice => {
      return { email, topicId, subscription: 'opt_out', emailId: null, occurredAt, eventId: null, note };
    });
    const actor = actorOfImport(found);
    const changes = await this.preferences.set(accountId, actor, 'import', choices, transaction);
    const changed = new Set(changes.map(({ email }) => email));
    const superseded = await findWithDuplicates(
      (some) => this.removals.findOptedIn(accountId, topicId, some, transaction),
      reported.filter(({ email }) => changed.has(email)),
      addresses,
      ({ email }) => email,
    );
    return { added: changes.length, strengthened: 0, superseded };
  }
}

function isCurrent({ superseded }: Attempt): boolean {
  return superseded.length === 0;
}

/** Finds what is superseded of the written rows, and of the rows that the next attempt would write in their place. */
async function findWithDuplicates(
  findSuperseded: (reported: ReportedCause[]) => Promise<ReportedCause[]>,
  written: ReportedCause[],
  addresses: ReportedCause[][],
  keyOf: (one: ReportedCause) => string,
): Promise<ReportedCause[]> {
  const superseded = await findSuperseded(written);
  if (superseded.length === 0) {
    return [];
  }
  const keys = new Set(superseded.map(keyOf));
  return findSuperseded(addresses.flat().filter((one) => keys.has(keyOf(one))));
}

function withoutSuperseded(
  addresses: ReportedCause[][],
  superseded: ReadonlySet<ReportedCause>,
): ReportedCause[][] {
  return superseded.size === 0
    ? addresses
    : addresses
        .map((causes) => causes.filter((one) => !superseded.has(one)))
        .filter((causes) => causes.length > 0);
}

/** In each part at most one cause of an address, so that a record is made of the strongest one. */
function inParts(addresses: ReportedCause[][]): ReportedCause[][] {
  const parts: ReportedCause[][] = [];
  for (const causes of addresses) {
    const distinct = causes.filter(({ cause }, index) => cause !== causes[index - 1]?.cause);
    distinct.forEach((one, part) => (parts[part] ??= []).push(one));
  }
  return parts;
}

/** The rows of which nothing is left. */
function countRows(superseded: ReadonlySet<ReportedCause>, left: ReportedCause[][]): number {
  if (superseded.size === 0) {
    return 0;
  }
  const rows = new Set([...superseded].map(({ row }) => row));
  left.flat().forEach(({ row }) => rows.delete(row));
  return rows.size;
}
