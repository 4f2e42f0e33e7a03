import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { Job } from '../jobs/job.entity.js';
import { CAUSES, type Cause } from '../ledger/cause.js';
import type { ChangeActor } from '../ledger/evidence.js';
import { Topic } from '../topics/topic.entity.js';
import type { Plan } from './formats/formats.js';

/** An uploaded file, and how it is read. Its progress is in the job with the same id. */
@Entity('imports')
@Unique('imports_account_id_idempotency_key_key', ['accountId', 'idempotencyKey'])
@ForeignKey(() => Topic, ['accountId', 'topicId'], ['accountId', 'id'], {
  name: 'imports_topic_id_fkey',
})
@ForeignKey(() => Job, ['accountId', 'id'], ['accountId', 'id'], {
  name: 'imports_id_fkey',
  onDelete: 'CASCADE',
})
export class Import {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { nullable: true })
  name!: string | null;

  @Column('text', { nullable: true })
  filename!: string | null;

  @Column('jsonb')
  plan!: Plan;

  @Column({ type: 'enum', enum: [...CAUSES], enumName: 'suppression_cause', name: 'default_cause' })
  defaultCause!: Cause;

  /** The topic whose opt-outs the file has; null if it has suppressions. */
  @Column('uuid', { name: 'topic_id', nullable: true })
  topicId!: string | null;

  @Column('boolean', { name: 'dry_run' })
  dryRun!: boolean;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ChangeActor;

  /** The size of the file as UTF-8, without compression. Null while it arrives. */
  @Column('bigint', { nullable: true })
  bytes!: string | null;

  /** SHA-256 of the file as UTF-8, in hex. Null while it arrives. */
  @Column('text', { name: 'file_hash', nullable: true })
  fileHash!: string | null;

  @Column('text', { name: 'idempotency_key', nullable: true })
  idempotencyKey!: string | null;
}

@Entity('import_errors')
@ForeignKey(() => Import, ['accountId', 'importId'], ['accountId', 'id'], {
  name: 'import_errors_import_id_fkey',
  onDelete: 'CASCADE',
})
export class ImportError {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'import_id' })
  importId!: string;

  /** The number of the entry in the file, counted from 1. A line can have several entries. */
  @PrimaryColumn('bigint')
  row!: string;

  @Column('bigint')
  line!: string;

  @Column('text')
  code!: string;

  @Column('text')
  value!: string;
}
