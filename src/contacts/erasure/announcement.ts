import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { KeptBlocksRepository } from '../../pseudonyms/kept-blocks.repository.js';
import type { Erasure, Progress } from './erasure.entity.js';
import { Pseudonyms } from './pseudonyms.js';
import type { Subject } from './subject.js';

/** Tells all instances that a pseudonym is about to replace its address, or that a kept block is about to be deleted. */
@Injectable()
export class Announcement {
  constructor(
    private readonly pseudonyms: Pseudonyms,
    private readonly blocks: KeptBlocksRepository,
  ) {}

  isNeeded({ keepBlock, progress }: Erasure): boolean {
    return keepBlock !== progress!.wasKept && !progress!.isAnnounced;
  }

  /** Whether a block is stored that instances do not look for yet. */
  hasBegun({ progress }: Erasure): boolean {
    return progress!.isStored === true && !progress!.isAnnounced;
  }

  /** Does the next of its steps: it stores the block that is kept, and begins the time in which instances learn of it. */
  async step(erasure: Erasure, { email }: Subject, transaction: EntityManager): Promise<Progress> {
    const { accountId, keepBlock, pseudonym } = erasure;
    const progress = erasure.progress!;
    if (keepBlock && !progress.isStored) {
      const filter = await this.pseudonyms.filterOf(accountId, email, pseudonym);
      await this.blocks.store({ accountId, pseudonym, filter }, transaction);
      return { ...progress, isStored: true };
    }
    await this.blocks.announce(accountId, pseudonym, transaction);
    return { ...progress, isAnnounced: true };
  }

  /** Makes all instances look for a block that is stored. */
  renewVersion({ accountId }: Erasure): Promise<void> {
    return this.blocks.renewVersion(accountId);
  }

  /** Whether every request that is running knows of it. */
  isKnownEverywhere({ accountId, pseudonym }: Erasure): Promise<boolean> {
    return this.blocks.isKnownEverywhere(accountId, pseudonym);
  }
}
