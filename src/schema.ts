import * as migrations from '../migrations/index.js';
import { RELEASED_SCHEMA } from '../migrations/released-schema.js';
import { Account, PastAccountSettings } from './accounts/account.entity.js';
import { ApiKey } from './api-keys/api-key.entity.js';
import { AuditEntry } from './audit/audit-entry.entity.js';
import { ConsoleSession, Person, SignInLink } from './console/people/person.entity.js';
import { Contact } from './contacts/contact.entity.js';
import { ErasureKey, KeptBlock } from './pseudonyms/kept-block.entity.js';
import { Erasure } from './contacts/erasure/erasure.entity.js';
import { numberOf, type Schema } from './database/startup/schema.js';
import { ChangeTotal, CountedAccount, DayTotal, DomainTotal, PendingTotals } from './counts/totals.entity.js';
import { FeedHead, FeedPage, FeedPending } from './feed/feed.entity.js';
import { Import, ImportError } from './imports/import.entity.js';
import { Job, JobPiece } from './jobs/job.entity.js';
import { Lift, LiftLine, LiftTotal } from './lifts/lift.entity.js';
import { SpentToken } from './inbound/inbox/spent-tokens.js';
import { StoredEvent } from './inbound/inbox/stored-event.entity.js';
import { SourceTopic, Source } from './inbound/sources/source.entity.js';
import { Scrub } from './scrubs/scrub.entity.js';
import { SuppressionChange, Withdrawal } from './ledger/suppression-change.entity.js';
import { ProviderListEntry, ProviderListLine } from './provider-lists/plans/provider-list-line.entity.js';
import { ProviderListPlan } from './provider-lists/plans/provider-list-plan.entity.js';
import { ProviderListPush } from './provider-lists/push/provider-list-push.entity.js';
import { ProviderList } from './provider-lists/provider-list.entity.js';
import { Rule, RuleChange } from './rules/rule.entity.js';
import { HeldBounce, Suppression } from './suppressions/suppression.entity.js';
import { Topic, TopicPreference } from './topics/topic.entity.js';
import {
  StoredUnsubscribeKey,
  UnsubscribeMailId,
  UnsubscribeSettings,
} from './unsubscribe-links/unsubscribe-link.entity.js';
import { WebhookDelivery } from './webhooks/webhook-delivery.entity.js';
import { Webhook } from './webhooks/webhook.entity.js';
import { Incident, IncidentCount, IncidentShare, IncidentWatch } from './incidents/incident.entity.js';

/** The entities of every feature, and the migrations that create their tables. */
export const SCHEMA: Schema = {
  entities: [
    Account,
    PastAccountSettings,
    ApiKey,
    Suppression,
    SuppressionChange,
    Withdrawal,
    Source,
    SourceTopic,
    StoredEvent,
    SpentToken,
    Topic,
    TopicPreference,
    Contact,
    Erasure,
    ErasureKey,
    KeptBlock,
    Rule,
    RuleChange,
    Job,
    JobPiece,
    Import,
    ImportError,
    Lift,
    LiftLine,
    LiftTotal,
    ProviderList,
    ProviderListPlan,
    ProviderListEntry,
    ProviderListLine,
    ProviderListPush,
    Scrub,
    FeedHead,
    FeedPending,
    FeedPage,
    DayTotal,
    DomainTotal,
    PendingTotals,
    ChangeTotal,
    CountedAccount,
    StoredUnsubscribeKey,
    UnsubscribeSettings,
    UnsubscribeMailId,
    Person,
    SignInLink,
    ConsoleSession,
    AuditEntry,
    Incident,
    IncidentCount,
    IncidentShare,
    IncidentWatch,
    HeldBounce,
    Webhook,
    WebhookDelivery,
  ],
  migrations: Object.values(migrations).sort((one, other) => numberOf(one.name) - numberOf(other.name)),
  released: RELEASED_SCHEMA,
};
