import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../suppressions/actor.js';
import { CAUSES, type Cause } from '../suppressions/cause.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { AddressLocksRepository, type WantedLock } from './address-locks.repository.js';
import { storable } from './delivery-event.js';
import type { NewEvent, Settlement } from './inbox.repository.js';
import { LiftableRepository } from './liftable.repository.js';
import { SoftFailuresRepository } from './soft-failures.repository.js';
import type { Source } from './source.entity.js';

const MAX_NOTE_LENGTH = 1_000;

/** Something to do to the list, for an event that names a recipient. */
interface Step {
  event: NewEvent;
  recipient: EmailAddress;
  /** Why to suppress the recipient; null to lift. */
  cause: Cause | null;
}

/**
 * Does to the list what new events say. Addresses are taken in their order, so that two deliveries at once, or a delivery
 * and a request to the API, never wait for each other in a circle; events of one address in the order in which they
 * were told.
 */
@Injectable()
export class ProjectionService {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly locks: AddressLocksRepository,
    private readonly liftable: LiftableRepository,
    private readonly softFailures: SoftFailuresRepository,
  ) {}

  /** @returns what those events did or met that concern the list */
  async apply(source: Source, events: NewEvent[], transaction: EntityManager): Promise<Settlement[]> {
    await this.lock(source, events, transaction);
    const tooMany = await this.findTooMany(source, events, transaction);
    const steps = stepsOf(events, tooMany);
    const settlements: Settlement[] = [];
    for (const batch of batchesOf(steps)) {
      const [{ event, cause }] = batch;
      settlements.push(
        ...(cause === null
          ? [await this.lift(source, event, steps, transaction)]
          : await this.suppress(source, batch, transaction)),
      );
    }
    return settlements;
  }

  private async lock(source: Source, events: NewEvent[], transaction: EntityManager): Promise<void> {
    const wanted = events.flatMap((event) => lockFor(event, source) ?? []);
    if (wanted.length > 0) {
      await this.locks.take(source.accountId, wanted, transaction);
    }
  }

  private async findTooMany(
    source: Source,
    events: NewEvent[],
    transaction: EntityManager,
  ): Promise<Set<EmailAddress>> {
    const { softLimit } = source.options;
    const watched = events.filter(({ effect }) => effect === 'watch');
    const recipients = [...new Set(watched.flatMap(({ recipient }) => recipient ?? []))];
    return softLimit && recipients.length > 0
      ? this.softFailures.findTooMany(source, softLimit, recipients, watched[0]!.receivedAt, transaction)
      : new Set();
  }

  private async suppress(source: Source, steps: Step[], transaction: EntityManager): Promise<Settlement[]> {
    const additions = steps.map(({ event, recipient, cause }) => ({
      email: recipient,
      cause: cause!,
      sourceId: event.sourceId,
      note: noteOn(event),
      onlyIfAbsent: event.effect === 'suppress-if-absent',
    }));
    const found = await this.suppressions.suppress(source.accountId, actorOf(source), additions, {
      transaction,
    });
    return steps.map(({ event, recipient }) => {
      const { id, action } = found.get(recipient)!;
      const otherwise = event.effect === 'watch' ? 'counted' : 'nothing';
      return { event, outcome: action ?? otherwise, suppressionId: id };
    });
  }

  private async lift(
    source: Source,
    event: NewEvent,
    steps: Step[],
    transaction: EntityManager,
  ): Promise<Settlement> {
    const waiting = steps.slice(steps.findIndex((step) => step.event === event) + 1);
    const id = await this.liftable.find(
      source,
      event,
      waiting.filter(({ recipient }) => recipient === event.recipient).map((step) => step.event),
      transaction,
    );
    if (id === null) {
      return { event, outcome: 'nothing', suppressionId: null };
    }
    const occasion = { actor: actorOf(source), note: noteOn(event) };
    await this.suppressions.lift(source.accountId, id, occasion, transaction);
    return { event, outcome: 'removed', suppressionId: id };
  }
}

/**
 * Whoever counts failures, or looks for something later to decide whether to lift, looks into the inbox; so nobody else
 * may be telling something that it would have to see.
 */
function lockFor({ recipient, effect }: NewEvent, { options }: Source): WantedLock | undefined {
  if (recipient === null) {
    return undefined;
  }
  switch (effect) {
    case 'suppress':
    case 'suppress-if-absent':
      return { recipient, alone: false };
    case 'watch':
      return options.softLimit && { recipient, alone: true };
    case 'lift':
      return { recipient, alone: true };
    default:
      return undefined;
  }
}

/** In the order of the addresses as PostgreSQL has it in the collation "C"; the sort is stable. */
function stepsOf(events: NewEvent[], tooMany: Set<EmailAddress>): Step[] {
  return events
    .flatMap((event) => stepOf(event, tooMany) ?? [])
    .map((step) => ({ step, octets: Buffer.from(step.recipient) }))
    .sort((a, b) => Buffer.compare(a.octets, b.octets))
    .map(({ step }) => step);
}

function stepOf(event: NewEvent, tooMany: Set<EmailAddress>): Step | undefined {
  const { recipient, effect, kind } = event;
  if (recipient === null) {
    return undefined;
  }
  switch (effect) {
    case 'suppress':
    case 'suppress-if-absent': {
      const cause = CAUSES.find((one) => one === kind);
      return cause && { event, recipient, cause };
    }
    case 'watch':
      return tooMany.has(recipient) ? { event, recipient, cause: 'bounce' } : undefined;
    case 'lift':
      return { event, recipient, cause: null };
    default:
      return undefined;
  }
}

/** Steps that one statement can do: neighbours that suppress, each another address. A step that lifts stands alone. */
function batchesOf(steps: Step[]): [Step, ...Step[]][] {
  const batches: [Step, ...Step[]][] = [];
  for (const step of steps) {
    const batch = batches.at(-1);
    const last = batch?.at(-1);
    if (!batch || !last || last.cause === null || step.cause === null || last.recipient === step.recipient) {
      batches.push([step]);
    } else {
      batch.push(step);
    }
  }
  return batches;
}

function actorOf({ id, name }: Source): Actor {
  return { type: 'source', id, name };
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
