import { Check, Column, Entity, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';

/**
 * `open`: a key that may write can lift every cause. `guarded`: to lift a cause, a caller needs a note, or a scope and a
 * consent.
 */
export const REMOVAL_POLICIES = ['open', 'guarded'] as const;

export type RemovalPolicy = (typeof REMOVAL_POLICIES)[number];

/** Which mail a complaint stops: all of it, or all but transactional mail. */
export const COMPLAINT_REACHES = ['all', 'marketing'] as const;

export type ComplaintReach = (typeof COMPLAINT_REACHES)[number];

export const INCIDENT_GUARD_MEANINGS = {
  off: 'look for no incidents',
  alert: 'report incidents',
  hold: 'also suppress the addresses that bounce in an incident for one day, instead of permanently',
} as const;

export type IncidentGuard = keyof typeof INCIDENT_GUARD_MEANINGS;

export const INCIDENT_GUARDS = Object.keys(INCIDENT_GUARD_MEANINGS) as readonly IncidentGuard[];

/** The owner of a list. */
@Entity('accounts')
@Check('accounts_inbox_retention_check', 'inbox_retention BETWEEN 7 AND 3650')
@Unique('accounts_name_key', ['name'])
@Check('accounts_name_check', `name ~ '^[a-z0-9][a-z0-9-]{0,62}$'`)
@Check(
  'accounts_bounce_expiry_check',
  'cardinality(bounce_expiry) BETWEEN 1 AND 10 AND 1 <= ALL (bounce_expiry)',
)
@Check('accounts_incident_min_addresses_check', 'incident_min_addresses BETWEEN 10 AND 1000000')
@Check('accounts_incident_min_share_check', 'incident_min_share BETWEEN 0.01::real AND 1')
export class Account {
  @PrimaryGeneratedColumn('identity')
  id!: number;

  @Column('text')
  name!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Null until the account is admitted to the private beta. */
  @Column('timestamptz', { name: 'beta_admitted_at', nullable: true })
  betaAdmittedAt!: Date | null;

  @Column({ type: 'enum', enum: [...REMOVAL_POLICIES], enumName: 'removal_policy', default: 'open' })
  removal!: RemovalPolicy;

  @Column({
    type: 'enum',
    enum: [...COMPLAINT_REACHES],
    enumName: 'complaint_reach',
    name: 'complaint_reach',
    default: 'all',
  })
  complaintReach!: ComplaintReach;

  /**
   * For how many days the first, second, … bounce suppresses an address. Later bounces never expire; if null, no bounce does.
   */
  @Column('smallint', {
    name: 'bounce_expiry',
    array: true,
    nullable: true,
    comment: 'Days that the first, second, … bounce counts; null: for good',
  })
  bounceExpiry!: number[] | null;

  /** Days for which the inbox keeps events that ask for no change. Null for the setting INBOX_RETENTION_DAYS. */
  @Column('smallint', {
    name: 'inbox_retention',
    nullable: true,
    comment: 'Days; null: the setting INBOX_RETENTION_DAYS',
  })
  inboxRetention!: number | null;

  @Column({
    type: 'enum',
    enum: [...INCIDENT_GUARDS],
    enumName: 'incident_guard',
    name: 'incident_guard',
    default: 'alert',
  })
  incidentGuard!: IncidentGuard;

  /** How many addresses must bounce within 15 minutes for an incident. */
  @Column('integer', { name: 'incident_min_addresses', default: 50 })
  incidentMinAddresses!: number;

  /** Which fraction of the results must be bounces for an incident. */
  @Column('real', { name: 'incident_min_share', default: () => '0.1' })
  incidentMinShare!: number;

  /** Changes with the rules. Random, so that no version repeats after a failover that lost changes. */
  @Column('uuid', { name: 'rules_version', nullable: true })
  rulesVersion!: string | null;

  /**
   * Changes with the kept blocks. Null in an account without any. Random, for the same reason. Its first half changes only if a
   * block is deleted.
   */
  @Column('uuid', { name: 'kept_blocks_version', nullable: true })
  keptBlocksVersion!: string | null;
}

export type AccountSettings = Pick<
  Account,
  | 'removal'
  | 'complaintReach'
  | 'bounceExpiry'
  | 'inboxRetention'
  | 'incidentGuard'
  | 'incidentMinAddresses'
  | 'incidentMinShare'
>;

/** Earlier values of the settings that verdicts depend on, for checks of a past date. */
@Entity('past_account_settings')
export class PastAccountSettings {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('timestamptz', { name: 'valid_until', default: () => 'clock_timestamp()' })
  validUntil!: Date;

  @Column({
    type: 'enum',
    enum: [...COMPLAINT_REACHES],
    enumName: 'complaint_reach',
    name: 'complaint_reach',
  })
  complaintReach!: ComplaintReach;
}
