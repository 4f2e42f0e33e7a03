import type { Request } from 'express';

/** Counts the requests of each sender that are under way in this instance. */
export class RequestCounts<Sender> {
  private readonly counts = new Map<Sender, number>();

  /**
   * Counts a request until it is released or its connection closes. A request whose connection is closed does not count.
   *
   * @returns releases it; null if the sender has reached the limit
   */
  begin(sender: Sender, request: Request, limit: number): (() => void) | null {
    if (request.socket.destroyed || request.res?.closed) {
      return () => undefined;
    }
    const count = this.counts.get(sender) ?? 0;
    if (count >= limit) {
      return null;
    }
    this.counts.set(sender, count + 1);
    let isCounted = true;
    const release = () => {
      if (isCounted) {
        isCounted = false;
        request.res?.off('close', release);
        request.socket.off('close', release);
        this.countDown(sender);
      }
    };
    // Not every response gets an event when the connection closes.
    request.res?.once('close', release);
    request.socket.once('close', release);
    return release;
  }

  private countDown(sender: Sender): void {
    const left = this.counts.get(sender)! - 1;
    if (left === 0) {
      this.counts.delete(sender);
    } else {
      this.counts.set(sender, left);
    }
  }
}
