import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { v4 as uuidv4 } from 'uuid';
import { Account } from '../accounts/account.entity.js';
import { LOOKUPS } from '../database/database.module.js';
import { insertUnlessTaken } from '../database/insert-unless-taken.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { KeptBlock } from './kept-block.entity.js';

/**
 * Instances learn within five seconds that an address is being erased. Work that they began before ends within ten more
 * seconds, so that nothing uses the address itself when its pseudonym replaces it.
 */
const KNOWN_EVERYWHERE = `interval '15 seconds'`;

const FIND_VERSIONS = new PreparedStatement<{ id: number; version: string | null }>(
  'find-kept-blocks-versions',
  'SELECT id, kept_blocks_version AS version FROM accounts WHERE id = ANY ($1)',
);

const IS_KNOWN = new PreparedStatement<{ isKnown: boolean }>(
  'find-whether-kept-block-is-known',
  `SELECT coalesce(renamed_at >= announced_at, false) OR announced_at < clock_timestamp() - ${KNOWN_EVERYWHERE} AS "isKnown"
  FROM kept_blocks
  WHERE account_id = $1 AND pseudonym = $2`,
);

/** The first half of the UUID. */
const GENERATION_LENGTH = 18;
/** Adding this many blocks takes some milliseconds. */
const SLICE_SIZE = 1_000;
/** This many filters are half a megabyte of JSON. */
export const MAX_FILTERS = 10_000;

const READ_SLICE = new PreparedStatement<AnnouncedBlock>(
  'read-kept-blocks',
  `SELECT pseudonym, filter, announced_at AS "announcedAt"
  FROM kept_blocks
  WHERE account_id = $1 AND (announced_at, pseudonym) > ($2::timestamptz, $3::text)
  ORDER BY announced_at, pseudonym
  LIMIT ${SLICE_SIZE}`,
);

export type AnnouncedBlock = Pick<KeptBlock, 'pseudonym' | 'filter' | 'announcedAt'>;

/** Whether a later version of the kept blocks of an account only adds to an earlier one. */
export function onlyAdds(version: string, earlier: string): boolean {
  return generationOf(version) === generationOf(earlier);
}

function generationOf(version: string): string {
  return version.slice(0, GENERATION_LENGTH);
}

/** The erased addresses whose blocks accounts keep. Transactions look for them, so these reads have connections of their own. */
@Injectable()
export class KeptBlocksRepository {
  constructor(
    private readonly dataSource: DataSource,
    @InjectDataSource(LOOKUPS) private readonly lookups: DataSource,
  ) {}

  /** The versions of the kept blocks of accounts; null for accounts without any. */
  async findVersions(accountIds: number[]): Promise<(string | null)[]> {
    const found = await FIND_VERSIONS.run(this.lookups, [accountIds]);
    const byId = new Map(found.map(({ id, version }) => [id, version]));
    return accountIds.map((id) => byId.get(id) ?? null);
  }

  /** Reads the blocks that were announced after a time, the earliest first, in slices. */
  async *readSince(accountId: number, time: Date): AsyncGenerator<AnnouncedBlock[]> {
    let after = { announcedAt: time, pseudonym: '' };
    for (;;) {
      const { announcedAt, pseudonym } = after;
      const slice = await READ_SLICE.run(this.lookups, [accountId, announcedAt, pseudonym]);
      yield slice;
      if (slice.length < SLICE_SIZE) {
        return;
      }
      after = slice.at(-1)!;
    }
  }

  /** The masked filters of all blocks, by pseudonym; null if there are too many to send. */
  async findFilters(accountId: number): Promise<Record<string, number> | null> {
    const blocks: AnnouncedBlock[] = [];
    for await (const slice of this.readSince(accountId, new Date(0))) {
      blocks.push(...slice);
      if (blocks.length > MAX_FILTERS) {
        return null;
      }
    }
    return Object.fromEntries(blocks.map(({ pseudonym, filter }) => [pseudonym, filter]));
  }

  findSome(accountId: number, pseudonyms: EmailAddress[]): Promise<KeptBlock[]> {
    return this.lookups.manager.findBy(KeptBlock, { accountId, pseudonym: In(pseudonyms) });
  }

  /** Stores the block of an address that is about to be erased. Instances learn of it through {@link renewVersion}. */
  async store(
    { accountId, pseudonym, filter }: Pick<KeptBlock, 'accountId' | 'pseudonym' | 'filter'>,
    transaction: EntityManager,
  ): Promise<void> {
    await insertUnlessTaken(transaction, KeptBlock, { accountId, pseudonym, filter });
  }

  /**
   * Makes all instances read the kept blocks that they do not know. The blocks must be committed before, so that an instance
   * that finds the new version also finds them. With several database servers, the account, which has the version, may be on
   * another one.
   */
  async renewVersion(accountId: number): Promise<void> {
    const version = uuidv4();
    const generation = `left(coalesce(kept_blocks_version::text, '${version}'), ${GENERATION_LENGTH})`;
    await this.dataSource.manager.update(
      Account,
      { id: accountId },
      { keptBlocksVersion: () => `(${generation} || '${version.slice(GENERATION_LENGTH)}')::uuid` },
    );
  }

  /**
   * Starts the period in which all instances learn that the pseudonym is about to replace its address, or that the block is
   * about to be deleted. Until that has happened, writes about the address are refused. Reads continue.
   */
  async announce(accountId: number, pseudonym: EmailAddress, transaction: EntityManager): Promise<void> {
    await transaction.update(KeptBlock, { accountId, pseudonym }, { announcedAt: () => 'clock_timestamp()' });
  }

  /** Whether every running request knows an announced block. */
  async isKnownEverywhere(accountId: number, pseudonym: EmailAddress): Promise<boolean> {
    const [found] = await IS_KNOWN.run(this.dataSource, [accountId, pseudonym]);
    return found?.isKnown ?? false;
  }

  async markRenamed(accountId: number, pseudonym: EmailAddress, transaction: EntityManager): Promise<void> {
    await transaction.update(KeptBlock, { accountId, pseudonym }, { renamedAt: () => 'clock_timestamp()' });
  }

  async delete(accountId: number, pseudonym: EmailAddress, transaction: EntityManager): Promise<void> {
    await transaction.delete(KeptBlock, { accountId, pseudonym });
    const setVersion = (keptBlocksVersion: string | null) =>
      transaction.update(Account, { id: accountId }, { keptBlocksVersion });
    // From here on, the row is locked, so the version for a block that is stored meanwhile is renewed after this transaction.
    await setVersion(uuidv4());
    if (!(await transaction.existsBy(KeptBlock, { accountId }))) {
      await setVersion(null);
    }
  }
}
