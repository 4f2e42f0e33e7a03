import { canExpire, causesIn, maskOf, type Cause } from './cause.js';
import type { Action } from './suppression-change.entity.js';

export interface ReplayedLine {
  action: Action;
  cause: Cause;
}

/**
 * Derives the causes of a record from the ledger lines about it.
 *
 * A bounce and a manual entry expire together: the last line about either of them has their common expiry.
 */
export class RecordReplay<Line extends ReplayedLine> {
  private readonly added = new Map<Cause, Line>();

  /** The last line about a cause that can expire. */
  lastExpirable: Line | null = null;

  /** @param line - with a greater revision than the lines before it */
  apply(line: Line): void {
    const { action, cause } = line;
    if (canExpire(cause)) {
      this.lastExpirable = line;
    }
    switch (action) {
      case 'removed':
        this.added.clear();
        break;
      case 'cause_removed':
      case 'expired':
        this.added.delete(cause);
        break;
      default:
        this.added.set(cause, line);
    }
  }

  /** The current causes, strongest first. */
  get causes(): readonly Cause[] {
    return causesIn(maskOf([...this.added.keys()]));
  }

  /** The line that added a current cause. */
  lineOf(cause: Cause): Line {
    return this.added.get(cause)!;
  }
}
