import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { ActorColumns } from './actor-columns.js';

export const AUDIT_ACTION_MEANINGS = {
  'account.created': 'the account was created',
  'account.admitted': 'the account was admitted to the beta',
  'account.suspended': 'the keys of the account were blocked',
  'settings.updated': 'the settings of the account changed',
  'api_key.created': 'an API key was created',
  'api_key.rotated': 'an API key got a successor and will expire',
  'api_key.revoked': 'an API key was revoked',
  'person.invited': 'a link was created that signs the person in to the console',
  'person.created': 'a person signed in at the identity provider for the first time',
  'person.updated': 'the role, the address, or the identity of a person changed',
  'person.signed_in': 'a person signed in to the console',
  'person.signed_out': 'all sessions of a person were ended',
  'person.removed': 'a person was removed',
  'source.created': 'a source was created',
  'source.updated': 'secrets or topics of a source changed',
  'source.paused': 'a source was paused',
  'source.resumed': 'a source was resumed',
  'source.deleted': 'a source was deleted',
  'topic.created': 'a topic was created',
  'topic.updated': 'a topic changed',
  'topic.archived': 'a topic was archived',
  'topic.restored': 'an archived topic was restored',
  'unsubscribe_key.created': 'a key for new unsubscribe links was created',
  'unsubscribe_key.revoked': 'the unsubscribe links of a key were invalidated',
  'export.started': 'the list, or the choices of recipients for a topic, was exported',
  'contact.erased': 'an address was erased',
  'contact.data_read': 'everything about an address was read',
  'scrub.started': 'a file of recipients was checked against the list',
  'lift.created': 'a lift by query was counted',
  'lift.applied': 'a lift by query was applied',
  'lift.reverted': 'a lift by query was reverted',
  'incident.decided': 'somebody decided what becomes of the bounces that an incident holds',
  'provider_list.created': 'a provider list was created',
  'provider_list.updated': 'the credentials or other settings of a provider list changed',
  'provider_list.tested': 'the credentials of a provider list were tested',
  'provider_list.plan_created': 'a comparison with a provider list was requested',
  'provider_list.plan_applied': 'a plan of a provider list was applied; the system applies scheduled ones',
  'provider_list.plan_discarded': 'a plan of a provider list was discarded',
  'provider_list.removals_confirmed': 'somebody confirmed that a provider removes entries of addresses',
  'provider_list.pushes_retried': 'changes that a provider list failed to push were sent again',
  'provider_list.deleted': 'a provider list was deleted',
  'webhook.created': 'a webhook was created',
  'webhook.updated': 'a webhook changed',
  'webhook.secret_rotated': 'a webhook got a new signing secret',
  'webhook.replayed': 'the events since a date are sent again',
  'webhook.event_replayed': 'one event is sent again',
  'webhook.tested': 'a test event was sent to a webhook',
  'webhook.deleted': 'a webhook was deleted',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTION_MEANINGS;

type AuditSubject = AuditAction extends `${infer Subject}.${string}` ? Subject : never;

/** The subjects of actions, by the first part of the name of an action. */
export const AUDIT_SUBJECTS: Readonly<Record<AuditSubject, string>> = {
  account: 'accounts',
  settings: 'settings',
  api_key: 'API keys',
  person: 'people and sign-ins',
  source: 'sources',
  topic: 'topics',
  unsubscribe_key: 'unsubscribe keys',
  export: 'exports',
  contact: 'personal data',
  scrub: 'scrubs',
  lift: 'lifts by query',
  incident: 'incidents',
  provider_list: 'provider lists',
  webhook: 'webhooks',
};

export type AuditChanges = Record<string, { from: unknown; to: unknown }>;

/**
 * A change to an account other than to its list or its rules, written by the transaction that makes it; or an
 * export of its data.
 */
@Entity('audit_entries')
@Check('audit_entries_action_check', `action ~ '^[a-z_]+[.][a-z_]+$'`)
export class AuditEntry extends ActorColumns {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('text')
  action!: AuditAction;

  /** Null for an account, which is identified by its name. */
  @Column('text', { name: 'subject_id', nullable: true })
  subjectId!: string | null;

  /** The name at the time of the change. */
  @Column('text', { name: 'subject_name' })
  subjectName!: string;

  @Column('jsonb', { default: {} })
  changes!: AuditChanges;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
