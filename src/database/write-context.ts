import type { EntityManager } from 'typeorm';

/** Where a statement that writes runs: in a transaction of {@link transactionBefore}, or on its own until a deadline. */
export type WriteContext = EntityManager | { deadline: number };
