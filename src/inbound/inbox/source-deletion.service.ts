import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { OperatorContext } from '../../audit/request-context.js';
import { requireNoMoves } from '../sources/source-topics.service.js';
import { SourceChangesService } from '../sources/source-changes.service.js';
import { SourceEventsRepository } from './source-events.repository.js';

@Injectable()
export class SourceDeletionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sources: SourceChangesService,
    private readonly events: SourceEventsRepository,
  ) {}

  /**
   * Deletes a source and its events. What they changed on the list stays. The source is paused first, so that no events
   * arrive meanwhile.
   *
   * @throws {SourceNotFoundError}
   * @throws {InvalidSourceError} while opt-outs move to a topic of the source
   * @throws {DeadlineExceededError} some events are deleted; calling it again continues
   */
  async delete(context: OperatorContext, id: string): Promise<void> {
    const source = await this.sources.pause(context, id);
    await requireNoMoves(source, this.dataSource.manager);
    await this.events.delete(source, context.deadline);
    await this.sources.delete(context, source);
  }
}
