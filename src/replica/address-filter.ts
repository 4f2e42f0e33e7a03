import { filterOf, isPseudonym } from '../pseudonyms/pseudonym.js';

const TABLES = 256;
const MIN_SLOTS = 256;

/**
 * Recognizes most addresses that are not in a copy, so that a check does not look for them on disk. It stores 32-bit hashes, in
 * 8 to 16 bytes per address. Hashes are never removed. It consists of many tables, because doubling a single table for millions
 * of addresses would block for a tenth of a second.
 */
export class AddressFilter {
  /** Pseudonyms among the added addresses. {@link removePseudonyms} replaces this set by a new one. */
  pseudonyms: Set<string> = new Set();
  private readonly tables = Array.from({ length: TABLES }, () => new HashTable());

  add(email: string): void {
    if (isPseudonym(email)) {
      this.pseudonyms.add(email);
    }
    const hash = mixed(filterOf(email));
    this.tableOf(hash).add(hash);
  }

  removePseudonyms(removed: ReadonlySet<string>): void {
    this.pseudonyms = new Set([...this.pseudonyms].filter((email) => !removed.has(email)));
  }

  /**
   * False only if the address was never added.
   *
   * @param filter - its {@link filterOf}
   */
  mayHave(filter: number): boolean {
    const hash = mixed(filter);
    return this.tableOf(hash).has(hash);
  }

  /** The highest bits of a hash select the table, the lowest the slot. */
  private tableOf(hash: number): HashTable {
    return this.tables[hash >>> 24]!;
  }
}

/** A hash table that is at most half full. */
class HashTable {
  private slots = new Uint32Array(MIN_SLOTS);
  private used = 0;

  add(hash: number): void {
    if (this.insert(hash) && ++this.used > this.slots.length / 2) {
      this.grow();
    }
  }

  has(hash: number): boolean {
    return this.slots[this.slotOf(hash)] === hash;
  }

  private insert(hash: number): boolean {
    const slot = this.slotOf(hash);
    const isNew = this.slots[slot] === 0;
    this.slots[slot] = hash;
    return isNew;
  }

  /** The slot of a hash, or the free slot where it belongs. */
  private slotOf(hash: number): number {
    const last = this.slots.length - 1;
    let slot = hash & last;
    while (this.slots[slot] !== 0 && this.slots[slot] !== hash) {
      slot = (slot + 1) & last;
    }
    return slot;
  }

  private grow(): void {
    const hashes = this.slots;
    this.slots = new Uint32Array(hashes.length * 2);
    for (const hash of hashes) {
      if (hash !== 0) {
        this.insert(hash);
      }
    }
  }
}

/** The finalizer of MurmurHash3. Never 0, which is an empty slot. */
function mixed(filter: number): number {
  let hash = Math.imul(filter ^ (filter >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}
