import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { AdditionsService } from '../suppressions/additions/additions.service.js';
import type { PresentSuppression } from '../suppressions/additions/additions.repository.js';
import { emailsOf, renameRows, StoredNames, type Pseudonymized } from '../pseudonyms/stored-names.js';
import type { Choice } from '../topics/preference-statements.js';
import { PreferencesRepository } from '../topics/preferences.repository.js';
import type { ChunkResult, ReportedCause } from './chunks.js';
import { ImportsRepository, type Scope } from './imports.repository.js';

interface WrittenChunk {
  added: number;
  strengthened: number;
  /** The entries that changed something. */
  changed: ReportedCause[];
}

/** Addresses of a chunk were removed after the events that it reports. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';

  constructor(readonly reported: ReportedCause[]) {
    super();
  }
}

/**
 * Repeats attempts until no entry is superseded. A third attempt is needed only if a removal is committed between the first
 * two. Each attempt is a transaction of its own, because a savepoint would slow down the chunks that need only one.
 */
export async function withoutSuperseding<Result>(
  attempt: (superseded: ReadonlySet<ReportedCause>) => Promise<Result>,
): Promise<Result> {
  const superseded = new Set<ReportedCause>();
  for (;;) {
    try {
      return await attempt(superseded);
    } catch (error) {
      if (!(error instanceof SupersededError)) {
        throw error;
      }
      error.reported.forEach((reported) => superseded.add(reported));
    }
  }
}

interface Entries {
  /** The topic whose opt-outs these are; null for suppressions. */
  topicId: string | null;
  addresses: ReportedCause[][];
  /** The entries that are known to be older than a removal. */
  superseded: ReadonlySet<ReportedCause>;
  /** The result of {@link ChunkWriter.lookUp}. */
  listed: PresentSuppression[] | undefined;
}

@Injectable()
export class ChunkWriter {
  constructor(
    private readonly additions: AdditionsService,
    private readonly preferences: PreferencesRepository,
    private readonly imports: ImportsRepository,
    private readonly storedNames: StoredNames,
  ) {}

  /** Reads the records that already cover addresses of a chunk, before its transaction begins. */
  async lookUp(
    accountId: number,
    topicId: string | null,
    addresses: ReportedCause[][],
  ): Promise<PresentSuppression[] | undefined> {
    const [strongest = []] = topicId === null ? splitIntoParts(addresses) : [];
    const pseudonyms = await this.storedNames.forWriting(accountId, emailsOf(strongest));
    return strongest.length > 0
      ? this.additions.findPresent(accountId, renameRows(strongest, pseudonyms))
      : undefined;
  }

  /**
   * Applies the entries that no later removal supersedes. This is certain only while the records are locked, so the method
   * looks for removals after the write.
   *
   * @throws {SupersededError} if other entries are superseded; then the transaction must not be committed
   * @throws {AddressBeingErasedError}
   */
  async write(
    identity: Identity,
    { topicId, addresses, superseded, listed }: Entries,
    transaction: EntityManager,
  ): Promise<ChunkResult> {
    const remaining = withoutSuperseded(addresses, superseded);
    const pseudonyms = await this.storedNames.forWriting(
      identity.accountId,
      emailsOf(remaining.map(([first]) => first!)),
    );
    const { added, strengthened, changed } =
      topicId === null
        ? await this.suppress(identity, remaining, listed, transaction)
        : await this.optOut(identity, topicId, remaining, pseudonyms, transaction);
    const scope = { accountId: identity.accountId, topicId, pseudonyms };
    const later = await this.findSuperseded(scope, changed, remaining, transaction);
    if (later.length > 0) {
      throw new SupersededError(later);
    }
    return { added, strengthened, removedSince: countRows(superseded, remaining) };
  }

  /** Counts each address once, by the strongest cause that changed anything. */
  private async suppress(
    identity: Identity,
    addresses: ReportedCause[][],
    listed: PresentSuppression[] | undefined,
    transaction: EntityManager,
  ): Promise<WrittenChunk> {
    const actions = new Map<EmailAddress, Action>();
    const changed: ReportedCause[] = [];
    const parts = splitIntoParts(addresses);
    for (const [index, part] of parts.entries()) {
      const suppressed = await this.additions.suppress(identity, part, transaction, {
        listed: index === 0 ? listed : undefined,
        alsoLock: new Set(parts[index + 1]?.map(({ email }) => email)),
      });
      for (const reported of part) {
        const { action } = suppressed.get(reported.email)!;
        if (action) {
          changed.push(reported);
          actions.set(reported.email, actions.get(reported.email) ?? action);
        }
      }
    }
    const added = [...actions.values()].filter((action) => action === 'added').length;
    return { added, strengthened: actions.size - added, changed };
  }

  private async optOut(
    identity: Identity,
    topicId: string,
    addresses: ReportedCause[][],
    pseudonyms: Pseudonymized,
    transaction: EntityManager,
  ): Promise<WrittenChunk> {
    const reported = addresses.map(([first]) => first!);
    const choices = renameRows(reported, pseudonyms).map(({ email, occurredAt, note }): Choice => {
      return { email, topicId, subscription: 'opt_out', emailId: null, occurredAt, eventId: null, note };
    });
    const how = { via: 'import', optIns: 'any' } as const;
    const changes = await this.preferences.set(identity, choices, how, transaction);
    const emails = new Set(changes.map(({ email }) => email));
    const changed = reported.filter(({ email }) => emails.has(pseudonyms.get(email) ?? email));
    return { added: changes.length, strengthened: 0, changed };
  }

  /** Finds the written entries that are superseded, and the entries that the next attempt would write in their place. */
  private async findSuperseded(
    scope: Scope,
    written: ReportedCause[],
    addresses: ReportedCause[][],
    transaction: EntityManager,
  ): Promise<ReportedCause[]> {
    const keyOf = ({ email, cause }: ReportedCause) => (scope.topicId === null ? `${cause} ${email}` : email);
    const keys = new Set((await this.imports.findWithdrawn(scope, written, transaction)).map(keyOf));
    const others = addresses.flat().filter((reported) => keys.has(keyOf(reported)));
    return keys.size === 0 ? [] : this.imports.findWithdrawn(scope, others, transaction);
  }
}

function withoutSuperseded(
  addresses: ReportedCause[][],
  superseded: ReadonlySet<ReportedCause>,
): ReportedCause[][] {
  return addresses
    .map((causes) => causes.filter((reported) => !superseded.has(reported)))
    .filter((causes) => causes.length > 0);
}

/** Splits the causes so that no part has two causes of the same address, and the first part has the strongest ones. */
function splitIntoParts(addresses: ReportedCause[][]): ReportedCause[][] {
  const parts: ReportedCause[][] = [];
  for (const causes of addresses) {
    const distinct = causes.filter(({ cause }, index) => cause !== causes[index - 1]?.cause);
    distinct.forEach((reported, part) => (parts[part] ??= []).push(reported));
  }
  return parts;
}

/** Counts the rows with no remaining cause. */
function countRows(superseded: ReadonlySet<ReportedCause>, remaining: ReportedCause[][]): number {
  const rows = new Set([...superseded].map(({ row }) => row));
  remaining.flat().forEach(({ row }) => rows.delete(row));
  return rows.size;
}
