import { Injectable } from '@nestjs/common';

/** The accounts for which this instance has stored events lately. */
@Injectable()
export class RecentAccounts {
  private readonly lastEventAt = new Map<number, number>();

  add(accountId: number): void {
    this.lastEventAt.set(accountId, performance.now());
  }

  get ids(): number[] {
    return [...this.lastEventAt.keys()];
  }

  /** Forgets the accounts whose last event was stored before a time of `performance.now()`. */
  forgetBefore(time: number): void {
    this.lastEventAt.forEach((at, accountId) => at < time && this.lastEventAt.delete(accountId));
  }
}
