/** The causes of a suppression, from the weakest to the strongest. The database has the same list in the same order. */
export const CAUSES = ['bounce', 'manual', 'unsubscribe', 'complaint'] as const;

export type Cause = (typeof CAUSES)[number];

export const CAUSE_MEANINGS: Readonly<Record<Cause, string>> = {
  bounce: 'an email to the address bounced permanently',
  manual: 'somebody put the address on the list',
  unsubscribe: 'the recipient unsubscribed from everything',
  complaint: 'the recipient reported an email as spam',
};

/** Bounces and manual entries can expire; these cannot. */
export const NEVER_EXPIRES: readonly Cause[] = ['unsubscribe', 'complaint'];

export function canExpire(cause: Cause): boolean {
  return !NEVER_EXPIRES.includes(cause);
}

/** A bit mask of causes, numbered as in the database's function `cause_bit`. */
export function maskOf(causes: readonly Cause[]): number {
  return causes.reduce((mask, cause) => mask | (1 << CAUSES.indexOf(cause)), 0);
}

/** The causes that never expire, as a mask. */
export const LASTING_CAUSES: number = maskOf(NEVER_EXPIRES);

const CAUSES_IN_MASKS = Array.from({ length: 1 << CAUSES.length }, (_, mask): readonly Cause[] =>
  CAUSES.filter((cause) => mask & maskOf([cause])).toReversed(),
);

/** The causes in a mask, the strongest first. */
export function causesIn(mask: number): readonly Cause[] {
  return CAUSES_IN_MASKS[mask]!;
}

export function isStronger(cause: Cause, other: Cause): boolean {
  return CAUSES.indexOf(cause) > CAUSES.indexOf(other);
}

/** The causes as Resend's API shows them. */
export const ORIGINS = ['bounce', 'complaint', 'manual'] as const;

export type Origin = (typeof ORIGINS)[number];

export const ORIGIN_MEANINGS: Readonly<Record<Origin, string>> = {
  bounce: CAUSE_MEANINGS.bounce,
  complaint: CAUSE_MEANINGS.complaint,
  manual: 'somebody put the address on the list, or the recipient unsubscribed',
};

/** Typed clients of the Resend API know three origins; to them an unsubscribe is manual. */
export function originOf(cause: Cause): Origin {
  return cause === 'unsubscribe' ? 'manual' : cause;
}

/** The email that triggered a suppression, as Resend's API shows it. */
export function sourceIdOf({ cause, emailId }: { cause: Cause; emailId: string | null }): string | null {
  return originOf(cause) === 'manual' ? null : emailId;
}

/** A filter of records by any of their causes, and by the origin of the strongest. */
export interface CauseFilter {
  cause?: Cause | undefined;
  origin?: Origin | undefined;
}

/** The masks of the records that pass a filter. */
export function masksOf({ cause, origin }: CauseFilter): number[] {
  return [...CAUSES_IN_MASKS.keys()].filter((mask) => {
    const [strongest] = causesIn(mask);
    return (
      strongest !== undefined &&
      (!cause || causesIn(mask).includes(cause)) &&
      (!origin || originOf(strongest) === origin)
    );
  });
}
