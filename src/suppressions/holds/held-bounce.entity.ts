import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A bounce that an incident holds: its record expires at `heldUntil`. If the record expires at another time, somebody has changed it
 * since, and it is no longer held.
 */
@Entity('held_bounces')
@Index('held_bounces_account_id_incident_id_idx', ['accountId', 'incidentId'])
export class HeldBounce {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'suppression_id' })
  suppressionId!: string;

  @Column('uuid', { name: 'incident_id' })
  incidentId!: string;

  @Column({ type: 'timestamptz', name: 'held_until', precision: 3 })
  heldUntil!: Date;

  /** When the bounce expires if it is kept; null if never. */
  @Column({
    type: 'timestamptz',
    name: 'expires_at',
    precision: 3,
    nullable: true,
    comment: 'When the bounce expires if it is kept; null if never',
  })
  expiresAt!: Date | null;
}
