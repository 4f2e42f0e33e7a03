import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Job } from './job.entity.js';

/** A piece of the file that a job reads, compressed by gzip. It is deleted when the job ends. */
@Entity('job_pieces')
@Index('job_pieces_first_idx', ['accountId', 'jobId'], { where: 'number = 0' })
@ForeignKey(() => Job, ['accountId', 'jobId'], ['accountId', 'id'], {
  name: 'job_pieces_job_id_fkey',
  onDelete: 'CASCADE',
})
export class JobPiece {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'job_id' })
  jobId!: string;

  @PrimaryColumn('integer')
  number!: number;

  @Column({ type: 'bytea', comment: 'UTF-8, compressed by gzip' })
  data!: Buffer;
}
