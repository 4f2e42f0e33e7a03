import type { Database } from 'lmdb';
import type { Subscription } from '../topics/topic.entity.js';
import type { Root } from './rewrite-store.js';
import type { Side, StoredRecord } from './stored-copy.js';

/** The rows of one side of a store. */
export interface Copy {
  records: Database<StoredRecord, string>;
  preferences: Database<Subscription, string>;
}

export function openCopy(root: Root, side: Side): Copy {
  return {
    records: root.openDB<StoredRecord, string>({ name: `records-${side}` }),
    preferences: root.openDB<Subscription, string>({ name: `preferences-${side}` }),
  };
}

export function clearCopy({ records, preferences }: Copy): void {
  records.clearSync();
  preferences.clearSync();
}
