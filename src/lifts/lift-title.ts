import type { FoundLift } from './lifts.repository.js';

/** `Lift of 2026-01-15 09:30 UTC` */
export function titleOf({ createdAt }: Pick<FoundLift, 'createdAt'>): string {
  return `Lift of ${createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
