import { isBlocked, isDatabaseUnavailable } from '../../database/errors.js';
import { remainingMs } from '../../database/transaction.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import type { Source } from '../sources/source.entity.js';
import type { EventResult } from '../projection/event-outcome.js';

/** The events that a source delivered in one request. */
export interface Delivery {
  source: Source;
  events: DeliveryEvent[];
  receivedAt: Date;
  /** The deadline of the request. Nothing is changed after its caller got a 503. */
  deadline: number;
}

/** Stores deliveries of one source in one transaction, and returns their results in the same order. */
type StoreTogether = (deliveries: Delivery[]) => Promise<EventResult[][]>;

const MAX_EVENTS = 100;
/** A transaction that fails is divided into this many parts, so one bad delivery in a hundred costs 20 more transactions. */
const PARTS = 10;
/** How long deliveries wait for the previous transaction, which may be waiting for a lock. */
const PATIENCE_MS = 10;
/** This many waiting deliveries start a second transaction, which works while the first one waits for the database. */
const ENOUGH_DELIVERIES = 4;

interface PendingDelivery extends Delivery {
  resolve(results: EventResult[]): void;
  reject(error: unknown): void;
}

/**
 * Small deliveries of a source that arrive together, or while another one is stored, share a transaction. If it fails because
 * of one of them, each gets a transaction of its own, so that it does not affect the others. If the database was unavailable,
 * or the deadline of one was over, those with time left share another transaction, once.
 */
export class SharedDeliveries {
  private readonly queues = new Map<string, Queue>();

  constructor(private readonly storeTogether: StoreTogether) {}

  store(delivery: Delivery): Promise<EventResult[]> {
    const { id } = delivery.source;
    let queue = this.queues.get(id);
    if (!queue) {
      queue = new Queue(this.storeTogether, () => this.queues.delete(id));
      this.queues.set(id, queue);
    }
    return queue.store(delivery);
  }
}

/** The deliveries of a source. The queue exists only while there are any. */
class Queue {
  private pending: PendingDelivery[] = [];
  /**
   * Deliveries with a transaction of their own, because a shared one failed, probably while it waited for the lock of an
   * address.
   */
  private readonly separated = new Set<Delivery>();
  private running = 0;
  private lastStart = 0;
  private isScheduled = false;
  private patience?: NodeJS.Timeout;

  constructor(
    private readonly storeTogether: StoreTogether,
    private readonly onEmpty: () => void,
  ) {}

  store(delivery: Delivery): Promise<EventResult[]> {
    return new Promise((resolve, reject) => {
      const pending = { ...delivery, resolve, reject };
      if (this.sharesAddress(delivery)) {
        void this.storeSeparately(pending);
      } else {
        this.pending.push(pending);
        this.schedule();
      }
    });
  }

  /** Whether a delivery is about an address of a separated one, so that it would make others wait for the same lock. */
  private sharesAddress({ events }: Delivery): boolean {
    return [...this.separated].some((other) =>
      other.events.some(
        ({ recipient }) => recipient !== null && events.some((event) => event.recipient === recipient),
      ),
    );
  }

  private schedule(): void {
    clearTimeout(this.patience);
    if (this.isScheduled) {
      return;
    }
    if (this.pending.length > 0) {
      const isEnough = this.running === 1 && this.pending.length >= ENOUGH_DELIVERIES;
      const waitMs = this.running === 0 || isEnough ? 0 : this.lastStart + PATIENCE_MS - performance.now();
      if (waitMs > 0) {
        this.patience = setTimeout(() => this.start(), waitMs);
      } else {
        // Waits until the end of this turn of the event loop, since concurrent requests arrive in several callbacks.
        this.isScheduled = true;
        setImmediate(() => this.start());
      }
    } else if (this.running === 0) {
      this.onEmpty();
    }
  }

  private start(): void {
    this.isScheduled = false;
    const batch = this.takeBatch();
    if (batch.length > 0) {
      this.lastStart = performance.now();
      void this.run(batch);
    }
    this.schedule();
  }

  /** Takes no two deliveries with the same event, because the first one must be stored before the second one can find it. */
  private takeBatch(): PendingDelivery[] {
    const keys = new Set<string>();
    const isSeparate = ({ events }: Delivery) =>
      keys.size + events.length > MAX_EVENTS || events.some(({ key }) => keys.has(key));
    const separate = this.pending.findIndex((delivery, index) => {
      const isNext = index > 0 && isSeparate(delivery);
      delivery.events.forEach(({ key }) => keys.add(key));
      return isNext;
    });
    return this.pending.splice(0, separate < 0 ? this.pending.length : separate);
  }

  private async run(batch: PendingDelivery[], isRepeated = false): Promise<void> {
    this.running++;
    try {
      const results = await this.storeTogether(batch);
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length === 1) {
        batch[0]!.reject(error);
      } else {
        this.storeAgain(batch, error, isRepeated);
      }
    } finally {
      this.running--;
      this.schedule();
    }
  }

  private storeAgain(batch: PendingDelivery[], error: unknown, isRepeated: boolean): void {
    if (isBlocked(error) || !isDatabaseUnavailable(error)) {
      this.divide(batch, isRepeated);
      return;
    }
    const inTime = batch.filter(({ deadline }) => !isRepeated && remainingMs(deadline) > 0);
    batch.filter((delivery) => !inTime.includes(delivery)).forEach(({ reject }) => reject(error));
    if (inTime.length > 0) {
      void this.run(inTime, true);
    }
  }

  private divide(batch: PendingDelivery[], isRepeated: boolean): void {
    const size = Math.ceil(batch.length / PARTS);
    for (let first = 0; first < batch.length; first += size) {
      const part = batch.slice(first, first + size);
      void (size === 1 ? this.storeSeparately(part[0]!) : this.run(part, isRepeated));
    }
  }

  private async storeSeparately(delivery: PendingDelivery): Promise<void> {
    this.separated.add(delivery);
    await this.run([delivery]);
    this.separated.delete(delivery);
  }
}
