import { CAUSES, isStronger, type Cause } from '../../ledger/cause.js';
import type { NewChange, FinalRecord } from '../../suppressions/reservations.repository.js';
import { newSuppression } from '../../suppressions/suppression-id.js';
import type { AddressState, KnownRecord } from './address-state.js';
import { storable } from '../parsing/delivery-event.js';
import type { NewEvent, Settlement } from './new-event.js';
import { windowBegin } from './soft-failures.repository.js';
import type { SoftLimit } from '../sources/source.entity.js';

const MAX_NOTE_LENGTH = 1_000;

/** The kind of lift that takes back what was told for a cause. */
const LIFTED_BY: Readonly<Record<Cause, 'resubscribe' | 'removed' | null>> = {
  bounce: 'removed',
  manual: 'removed',
  unsubscribe: 'resubscribe',
  complaint: null,
};

const OVERTAKEN = 'The same source removed the address at a later moment, and told that first.';

/** What the events of a delivery do to one address. */
export class Judge {
  readonly changes: NewChange[] = [];
  readonly settlements: Settlement[] = [];
  private readonly state: AddressState;

  constructor(
    before: AddressState,
    private readonly softLimit: SoftLimit | undefined,
  ) {
    this.state = {
      ...before,
      failures: { ...before.failures, mails: new Map(before.failures.mails) },
    };
  }

  /** Takes the next event of the address. */
  take(event: NewEvent): void {
    switch (event.effect) {
      case 'suppress':
      case 'suppress-if-absent':
        return this.suppress(event);
      case 'watch':
        return this.watch(event);
      case 'lift':
        return this.lift(event);
      case 'success':
        return this.arrive(event);
      case 'none':
        return;
    }
  }

  /** What becomes of the reservation; undefined if the record stays as it was. */
  get finalRecord(): FinalRecord | undefined {
    const { reservation, record } = this.state;
    return record === null || this.changes.length > 0 ? { reservation, record } : undefined;
  }

  private suppress(event: NewEvent): void {
    const cause = CAUSES.find((one) => one === event.kind);
    if (!cause) {
      return;
    }
    const { state } = this;
    if (state.record) {
      state.record.tellings++;
    }
    if (this.isOvertaken(event, cause)) {
      this.settlements.push({ event, outcome: 'nothing', suppressionId: null, reason: OVERTAKEN });
    } else {
      this.settlements.push(this.put(event, cause));
    }
    state.lastAgainst = Math.max(state.lastAgainst, momentOf(event));
  }

  /**
   * A `removed` that met no record takes back what is older and comes later. What has no moment is no older. Never a
   * `resubscribe`: it may be about another list or stream than the unsubscribe that comes later.
   */
  private isOvertaken({ occurredAt }: NewEvent, cause: Cause): boolean {
    const { record, earlyRemoval } = this.state;
    return (
      !record && LIFTED_BY[cause] === 'removed' && occurredAt !== null && occurredAt.getTime() < earlyRemoval
    );
  }

  private watch(event: NewEvent): void {
    if (!this.softLimit || event.kind !== 'bounce') {
      return;
    }
    const { mails, lastArrival } = this.state.failures;
    const failedAt = momentOf(event);
    if (failedAt > lastArrival && failedAt > windowBegin(event, this.softLimit.days)) {
      const mail = event.rawMessageId ?? event.key;
      mails.set(mail, Math.max(failedAt, mails.get(mail) ?? -Infinity));
    }
    if (mails.size >= this.softLimit.failures) {
      this.settlements.push(this.put(event, 'bounce'));
    }
  }

  private put(event: NewEvent, cause: Cause): Settlement {
    const { record } = this.state;
    const otherwise = event.effect === 'watch' ? 'counted' : 'nothing';
    if (!record) {
      const added = this.newRecord(event, cause);
      this.state.record = added;
      return this.change('added', added, event);
    }
    if (event.effect === 'suppress-if-absent' || !isStronger(cause, record.cause)) {
      return { event, outcome: otherwise, suppressionId: record.id };
    }
    Object.assign(record, { cause, emailId: event.emailId });
    return this.change('strengthened', record, event);
  }

  /** The placeholder becomes a record; what comes after one that was removed is another one. */
  private newRecord({ effect, emailId }: NewEvent, cause: Cause): KnownRecord {
    const { reservation, email } = this.state;
    const isFirst = this.changes.length === 0;
    const { id, createdAt } = isFirst ? { id: reservation, createdAt: null } : newSuppression(email);
    const tellings = effect === 'watch' ? 0 : 1;
    return { id, createdAt, cause, emailId, addedFor: cause, isOwn: true, tellings };
  }

  private lift(event: NewEvent): void {
    const { state } = this;
    const { record } = state;
    if (record && this.mayLift(event, record)) {
      this.settlements.push(this.change('removed', record, event));
      state.record = null;
      state.failures.mails.clear();
      return;
    }
    this.settlements.push({ event, outcome: 'nothing', suppressionId: record?.id ?? null });
    if (!record && event.kind === 'removed' && event.occurredAt) {
      state.earlyRemoval = Math.max(state.earlyRemoval, event.occurredAt.getTime());
    }
  }

  /**
   * What is and always was for causes that such a lift takes back; nothing that somebody else made or changed, and not when
   * the source told of something later. A `resubscribe` not when anybody told of the address a second time: the unsubscribe
   * may be from another list or stream than the one that is lifted.
   */
  private mayLift(event: NewEvent, { cause, addedFor, isOwn, tellings }: KnownRecord): boolean {
    const isMeant = LIFTED_BY[cause] === event.kind && LIFTED_BY[addedFor] === event.kind;
    const isClear = event.kind === 'removed' || tellings < 2;
    return isMeant && isClear && isOwn && this.state.lastAgainst <= momentOf(event);
  }

  private arrive(event: NewEvent): void {
    const { failures } = this.state;
    failures.lastArrival = Math.max(failures.lastArrival, momentOf(event));
    for (const [mail, failedAt] of failures.mails) {
      if (failedAt <= failures.lastArrival) {
        failures.mails.delete(mail);
      }
    }
  }

  private change(
    action: 'added' | 'strengthened' | 'removed',
    record: KnownRecord,
    event: NewEvent,
  ): Settlement {
    const { id: suppressionId, cause, emailId } = record;
    this.changes.push({
      action,
      suppressionId,
      email: this.state.email,
      cause,
      emailId,
      occurredAt: event.occurredAt,
      eventId: event.id,
      note: noteOn(event),
    });
    return { event, outcome: action, suppressionId };
  }
}

function momentOf({ occurredAt, receivedAt }: NewEvent): number {
  return (occurredAt ?? receivedAt).getTime();
}

/** What the server said, for whoever asks the history why. */
function noteOn({ status, diagnostic, reason, effect }: NewEvent): string | null {
  const said = diagnostic?.includes(status ?? '') ? [diagnostic] : [status, diagnostic];
  const text = said.filter((part) => part !== null).join(' ') || reason;
  return storable(
    effect === 'watch' ? `Too many soft failures, the last one: ${text}` : text,
    MAX_NOTE_LENGTH,
  );
}
