import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Actor } from '../../audit/actor.js';
import { requireNoMoves } from '../sources/lock-topics.js';
import { SourceChangesService } from '../sources/source-changes.service.js';
import type { Owner } from '../sources/sources.service.js';
import { EventDeletionsRepository } from './event-deletions.repository.js';

@Injectable()
export class SourceDeletionService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sources: SourceChangesService,
    private readonly events: EventDeletionsRepository,
  ) {}

  /**
   * Deletes a source and its events. What they changed on the list stays. The source is paused first, so that no events
   * arrive meanwhile.
   *
   * @param owner - the account that the source must belong to; any account if undefined
   * @throws {SourceNotFoundError}
   * @throws {InvalidSourceError} while opt-outs move to a topic of the source
   * @throws {DeadlineExceededError} some events are deleted; calling it again continues
   */
  async delete(owner: Owner | undefined, actor: Actor, id: string, deadline: number): Promise<void> {
    const source = await this.sources.pause(owner, actor, id, deadline);
    await requireNoMoves(source, this.dataSource.manager);
    await this.events.deleteBySource(source, deadline);
    await this.sources.delete(source, actor, deadline);
  }
}
