/**
 * Where a table lives in a database that is spread over several nodes: on the coordinator, there with a copy of each row on the
 * node of its account, or in parts on the nodes of the accounts. All distributed tables are divided in the same way, by
 * `account_id`.
 */
export type Place = 'local' | 'copied' | 'distributed';

/** Copied tables are read without an account, and joined, but rarely changed, by statements about one account. */
export const TABLES: Readonly<Record<string, Place>> = {
  accounts: 'copied',
  sources: 'copied',

  api_keys: 'local',
  people: 'local',
  sign_in_links: 'local',
  console_sessions: 'local',
  spent_tokens: 'local',
  unsubscribe_keys: 'local',

  past_account_settings: 'distributed',
  suppressions: 'distributed',
  suppression_changes: 'distributed',
  withdrawals: 'distributed',
  delivery_events: 'distributed',
  topics: 'distributed',
  topic_preferences: 'distributed',
  contacts: 'distributed',
  kept_blocks: 'distributed',
  source_topics: 'distributed',
  rules: 'distributed',
  rule_changes: 'distributed',
  audit_entries: 'distributed',
  lift_lines: 'distributed',
  lift_totals: 'distributed',
  provider_lists: 'distributed',
  provider_list_plans: 'distributed',
  provider_list_entries: 'distributed',
  provider_list_lines: 'distributed',
  provider_list_pushes: 'distributed',
  feed_heads: 'distributed',
  feed_pending: 'distributed',
  feed_pages: 'distributed',
  day_totals: 'distributed',
  domain_totals: 'distributed',
  pending_totals: 'distributed',
  change_totals: 'distributed',
  counted_accounts: 'distributed',
  unsubscribe_settings: 'distributed',
  incidents: 'distributed',
  incident_counts: 'distributed',
  incident_shares: 'distributed',
  incident_watches: 'distributed',
  held_bounces: 'distributed',
  unsubscribe_mail_ids: 'distributed',
  jobs: 'distributed',
  job_pieces: 'distributed',
  imports: 'distributed',
  import_errors: 'distributed',
  lifts: 'distributed',
  scrubs: 'distributed',
  erasures: 'distributed',
  erasure_keys: 'distributed',
  webhooks: 'distributed',
  webhook_deliveries: 'distributed',
  bucket_homes: 'distributed',
};

/** The node of each bucket at its last write, and how often the bucket had moved. Only a spread database has this table. */
export const HOMES = 'bucket_homes';

/** The copied tables, the distributed tables with their copies, and their keys, which begin with the account. */
export const COPIES = [
  { table: 'accounts', copies: 'account_copies', key: ['id'] },
  { table: 'sources', copies: 'source_copies', key: ['account_id', 'id'] },
] as const;

/** The distributed table with which the others are colocated. */
export const LEADING_TABLE = 'suppressions';

export const tablesOf = (place: Place): string[] =>
  Object.keys(TABLES).filter((table) => TABLES[table] === place);

/**
 * An account may have many rows in them, of which statements read some. Plans are made for the largest account, as the migration
 * 1767225600260 explains.
 */
export const PLANNED_FOR_LARGEST_ACCOUNT = [
  'suppressions',
  'suppression_changes',
  'delivery_events',
  'topic_preferences',
  'contacts',
  'webhook_deliveries',
  'provider_list_entries',
  'provider_list_lines',
  'provider_list_pushes',
  'lift_lines',
  'held_bounces',
  'incident_counts',
];
