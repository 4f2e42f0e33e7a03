import { Injectable } from '@nestjs/common';
import { PlaceReader } from '../data/place-reader.js';
import type { Erasure } from './erasure.entity.js';
import { ErasuresRepository } from './erasures.repository.js';
import type { Subject } from './pseudonyms.js';

/** Work that began before an erasure, and that has read the address. */
@Injectable()
export class EarlierWork {
  constructor(
    private readonly erasures: ErasuresRepository,
    private readonly places: PlaceReader,
  ) {}

  /**
   * Whether something that began before an erasure may still store the address, so that the erasure cannot change anything yet.
   * Deletes the file of a dry run that has it.
   *
   * @param end - when to stop searching files, by `performance.now()`
   */
  async mustWaitFor(erasure: Erasure, { quoted }: Subject, end: number): Promise<boolean> {
    if (await this.erasures.hasEarlierWork(erasure)) {
      return true;
    }
    const { accountId, id } = erasure;
    const jobIds = new Set<string>();
    for await (const rows of this.places.readFiles(accountId, quoted, id)) {
      rows.forEach(({ row }) => jobIds.add(row.job_id as string));
      if (performance.now() > end) {
        return true;
      }
    }
    if (jobIds.size > 0) {
      await this.erasures.expireFiles(accountId, [...jobIds]);
    }
    return jobIds.size > 0;
  }

  /** Whether a move of opt-outs, or a delivery of a webhook, has the address while tables are being rewritten. */
  async isMovingOrDelivering({ accountId, progress }: Erasure, { email }: Subject): Promise<boolean> {
    const { deliveringSince } = progress!;
    return deliveringSince
      ? (await this.erasures.deliveringAt(accountId, deliveringSince)) !== null
      : this.erasures.isMovingAt(accountId, email);
  }
}
