export const LINE_STATUSES = ['planned', 'applied', 'skipped', 'reverted'] as const;

export type LineStatus = (typeof LINE_STATUSES)[number];

/** Why a line was skipped, or not put back. */
export type LineReason = 'absent' | 'changed' | 'failed_again' | 'listed' | 'removed' | 'expired' | 'erased';
