/** The routine of PostgreSQL's error "cached plan must not change result type", which follows DDL. */
export const STALE_PLAN_ROUTINE = 'RevalidateCachedQuery';

/** The name under which a statement is prepared in a generation of plans. */
export function nameIn(generation: number, name: string): string {
  return generation === 0 ? name : `${name}#${generation}`;
}

/** The name of a statement in all generations. */
export function baseNameOf(name: string): string {
  return name.split('#')[0]!;
}
