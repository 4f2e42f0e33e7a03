import { CreateAccounts1767225600000 } from '../migrations/1767225600000-CreateAccounts.js';
import { CreateApiKeys1767225600001 } from '../migrations/1767225600001-CreateApiKeys.js';
import { CreateUuidV7Function1767225600002 } from '../migrations/1767225600002-CreateUuidV7Function.js';
import { CreateSuppressions1767225600003 } from '../migrations/1767225600003-CreateSuppressions.js';
import { CreateSuppressionChanges1767225600004 } from '../migrations/1767225600004-CreateSuppressionChanges.js';
import { CreateSources1767225600005 } from '../migrations/1767225600005-CreateSources.js';
import { CreateDeliveryEvents1767225600006 } from '../migrations/1767225600006-CreateDeliveryEvents.js';
import { CreateSpentTokens1767225600007 } from '../migrations/1767225600007-CreateSpentTokens.js';
import { CreateTopics1767225600010 } from '../migrations/1767225600010-CreateTopics.js';
import { CreateTopicPreferences1767225600011 } from '../migrations/1767225600011-CreateTopicPreferences.js';
import { CreateRules1767225600012 } from '../migrations/1767225600012-CreateRules.js';
import { CreateRuleChanges1767225600013 } from '../migrations/1767225600013-CreateRuleChanges.js';
import { CreateSourceTopics1767225600014 } from '../migrations/1767225600014-CreateSourceTopics.js';
import { CreatePastAccountSettings1767225600015 } from '../migrations/1767225600015-CreatePastAccountSettings.js';
import { CreateJobs1767225600020 } from '../migrations/1767225600020-CreateJobs.js';
import { CreateImports1767225600021 } from '../migrations/1767225600021-CreateImports.js';
import { CreateScrubs1767225600022 } from '../migrations/1767225600022-CreateScrubs.js';
import { CreateFeedHeads1767225600030 } from '../migrations/1767225600030-CreateFeedHeads.js';
import { CreateFeedPending1767225600031 } from '../migrations/1767225600031-CreateFeedPending.js';
import { CreateFeedPages1767225600032 } from '../migrations/1767225600032-CreateFeedPages.js';
import { CreateNumberPendingChanges1767225600033 } from '../migrations/1767225600033-CreateNumberPendingChanges.js';
import { CreateWebhooks1767225600040 } from '../migrations/1767225600040-CreateWebhooks.js';
import { CreateWebhookDeliveries1767225600041 } from '../migrations/1767225600041-CreateWebhookDeliveries.js';
import { CreateUnsubscribeKeys1767225600050 } from '../migrations/1767225600050-CreateUnsubscribeKeys.js';
import { CreateUnsubscribeSettings1767225600051 } from '../migrations/1767225600051-CreateUnsubscribeSettings.js';
import { CreateUnsubscribeMailIds1767225600052 } from '../migrations/1767225600052-CreateUnsubscribeMailIds.js';
import { CreatePeople1767225600060 } from '../migrations/1767225600060-CreatePeople.js';
import { CreateSignInLinks1767225600061 } from '../migrations/1767225600061-CreateSignInLinks.js';
import { CreateConsoleSessions1767225600062 } from '../migrations/1767225600062-CreateConsoleSessions.js';
import { CreateAuditEntries1767225600063 } from '../migrations/1767225600063-CreateAuditEntries.js';
import { ReplaceOriginIndex1767225600070 } from '../migrations/1767225600070-ReplaceOriginIndex.js';
import { ReplaceDomainIndex1767225600071 } from '../migrations/1767225600071-ReplaceDomainIndex.js';
import { CreateUuidV7FromFunction1767225600072 } from '../migrations/1767225600072-CreateUuidV7FromFunction.js';
import { CreateDayTotals1767225600080 } from '../migrations/1767225600080-CreateDayTotals.js';
import { CreateDomainTotals1767225600081 } from '../migrations/1767225600081-CreateDomainTotals.js';
import { CreatePendingTotals1767225600082 } from '../migrations/1767225600082-CreatePendingTotals.js';
import { CreateCountedAccounts1767225600083 } from '../migrations/1767225600083-CreateCountedAccounts.js';
import { CreateContacts1767225600084 } from '../migrations/1767225600084-CreateContacts.js';
import { CreateTotalsTriggers1767225600085 } from '../migrations/1767225600085-CreateTotalsTriggers.js';
import { CreateChangeTotals1767225600086 } from '../migrations/1767225600086-CreateChangeTotals.js';
import { AddChangesUntil1767225600087 } from '../migrations/1767225600087-AddChangesUntil.js';
import { IndexChangesOfRecords1767225600090 } from '../migrations/1767225600090-IndexChangesOfRecords.js';
import { CreateWithdrawals1767225600091 } from '../migrations/1767225600091-CreateWithdrawals.js';
import { FillWithdrawals1767225600092 } from '../migrations/1767225600092-FillWithdrawals.js';
import { IndexEventsOfAddresses1767225600093 } from '../migrations/1767225600093-IndexEventsOfAddresses.js';
import { AddLiftJobs1767225600100 } from '../migrations/1767225600100-AddLiftJobs.js';
import { CreateLifts1767225600101 } from '../migrations/1767225600101-CreateLifts.js';
import { AddInboxRetention1767225600120 } from '../migrations/1767225600120-AddInboxRetention.js';
import { AddIncidentGuard1767225600130 } from '../migrations/1767225600130-AddIncidentGuard.js';
import { CreateIncidents1767225600131 } from '../migrations/1767225600131-CreateIncidents.js';
import { CreateIncidentWatches1767225600132 } from '../migrations/1767225600132-CreateIncidentWatches.js';
import { CreateIncidentCounts1767225600133 } from '../migrations/1767225600133-CreateIncidentCounts.js';
import { CreateIncidentShares1767225600134 } from '../migrations/1767225600134-CreateIncidentShares.js';
import { CreateHeldBounces1767225600135 } from '../migrations/1767225600135-CreateHeldBounces.js';
import { CreateErasures1767225600140 } from '../migrations/1767225600140-CreateErasures.js';
import { LetErasuresChangeTheLedger1767225600141 } from '../migrations/1767225600141-LetErasuresChangeTheLedger.js';
import { AddProviderListActor1767225600150 } from '../migrations/1767225600150-AddProviderListActor.js';
import { AddProviderListJobs1767225600151 } from '../migrations/1767225600151-AddProviderListJobs.js';
import { CreateProviderLists1767225600152 } from '../migrations/1767225600152-CreateProviderLists.js';
import { IndexExpiryOfRecords1767225600155 } from '../migrations/1767225600155-IndexExpiryOfRecords.js';
import { CreateKeptBlocks1767225600160 } from '../migrations/1767225600160-CreateKeptBlocks.js';
import { LetErasuresWithdrawNothing1767225600161 } from '../migrations/1767225600161-LetErasuresWithdrawNothing.js';
import { AddPushesToProviderLists1767225600170 } from '../migrations/1767225600170-AddPushesToProviderLists.js';
import { CreateProviderListPushes1767225600171 } from '../migrations/1767225600171-CreateProviderListPushes.js';
import { AddSourceToProviderLists1767225600180 } from '../migrations/1767225600180-AddSourceToProviderLists.js';
import { AddPushErrorToProviderLists1767225600210 } from '../migrations/1767225600210-AddPushErrorToProviderLists.js';
import { IndexUrgentPushes1767225600211 } from '../migrations/1767225600211-IndexUrgentPushes.js';
import { IndexKeptBlocksByAnnouncement1767225600230 } from '../migrations/1767225600230-IndexKeptBlocksByAnnouncement.js';
import { AddKeyToUnsubscribeMailIds1767225600231 } from '../migrations/1767225600231-AddKeyToUnsubscribeMailIds.js';
import { IndexOpenPushes1767225600240 } from '../migrations/1767225600240-IndexOpenPushes.js';
import { IndexDueRemovals1767225600241 } from '../migrations/1767225600241-IndexDueRemovals.js';
import { IndexCountedRemovals1767225600242 } from '../migrations/1767225600242-IndexCountedRemovals.js';
import { ContractRemovalsOfProviderLists1767225600243 } from '../migrations/1767225600243-ContractRemovalsOfProviderLists.js';
import { IndexSourcesWithSecrets1767225600250 } from '../migrations/1767225600250-IndexSourcesWithSecrets.js';
import { RELEASED_SCHEMA } from '../migrations/released-schema.js';
import { Account, PastAccountSettings } from './accounts/account.entity.js';
import { ApiKey } from './api-keys/api-key.entity.js';
import { AuditEntry } from './audit/audit-entry.entity.js';
import { ConsoleSession, Person, SignInLink } from './console/people/person.entity.js';
import { Contact } from './contacts/contact.entity.js';
import { ErasureKey, KeptBlock } from './pseudonyms/kept-block.entity.js';
import { Erasure } from './contacts/erasure/erasure.entity.js';
import type { Schema } from './database/startup/schema.js';
import { ChangeTotal, CountedAccount, DayTotal, DomainTotal, PendingTotals } from './counts/totals.entity.js';
import { FeedHead, FeedPage, FeedPending } from './feed/feed.entity.js';
import { Import, ImportError } from './imports/import.entity.js';
import { Job, JobPiece } from './jobs/job.entity.js';
import { Lift, LiftLine, LiftTotal } from './lifts/lift.entity.js';
import { SpentToken } from './inbound/inbox/spent-token.entity.js';
import { StoredEvent } from './inbound/inbox/stored-event.entity.js';
import { SourceTopic } from './inbound/sources/source-topic.entity.js';
import { Source } from './inbound/sources/source.entity.js';
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
import { Incident } from './incidents/incident.entity.js';
import { IncidentCount, IncidentShare, IncidentWatch } from './incidents/incident-count.entity.js';

/** The entities of every feature, and the migrations that create their tables, by their numbers. */
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
  migrations: [
    CreateAccounts1767225600000,
    CreateApiKeys1767225600001,
    CreateUuidV7Function1767225600002,
    CreateSuppressions1767225600003,
    CreateSuppressionChanges1767225600004,
    CreateSources1767225600005,
    CreateDeliveryEvents1767225600006,
    CreateSpentTokens1767225600007,
    CreateTopics1767225600010,
    CreateTopicPreferences1767225600011,
    CreateRules1767225600012,
    CreateRuleChanges1767225600013,
    CreateSourceTopics1767225600014,
    CreatePastAccountSettings1767225600015,
    CreateJobs1767225600020,
    CreateImports1767225600021,
    CreateScrubs1767225600022,
    CreateFeedHeads1767225600030,
    CreateFeedPending1767225600031,
    CreateFeedPages1767225600032,
    CreateNumberPendingChanges1767225600033,
    CreateWebhooks1767225600040,
    CreateWebhookDeliveries1767225600041,
    CreateUnsubscribeKeys1767225600050,
    CreateUnsubscribeSettings1767225600051,
    CreateUnsubscribeMailIds1767225600052,
    CreatePeople1767225600060,
    CreateSignInLinks1767225600061,
    CreateConsoleSessions1767225600062,
    CreateAuditEntries1767225600063,
    ReplaceOriginIndex1767225600070,
    ReplaceDomainIndex1767225600071,
    CreateUuidV7FromFunction1767225600072,
    CreateDayTotals1767225600080,
    CreateDomainTotals1767225600081,
    CreatePendingTotals1767225600082,
    CreateCountedAccounts1767225600083,
    CreateContacts1767225600084,
    CreateTotalsTriggers1767225600085,
    CreateChangeTotals1767225600086,
    AddChangesUntil1767225600087,
    IndexChangesOfRecords1767225600090,
    CreateWithdrawals1767225600091,
    FillWithdrawals1767225600092,
    IndexEventsOfAddresses1767225600093,
    AddLiftJobs1767225600100,
    CreateLifts1767225600101,
    AddInboxRetention1767225600120,
    AddIncidentGuard1767225600130,
    CreateIncidents1767225600131,
    CreateIncidentWatches1767225600132,
    CreateIncidentCounts1767225600133,
    CreateIncidentShares1767225600134,
    CreateHeldBounces1767225600135,
    CreateErasures1767225600140,
    LetErasuresChangeTheLedger1767225600141,
    AddProviderListActor1767225600150,
    AddProviderListJobs1767225600151,
    CreateProviderLists1767225600152,
    IndexExpiryOfRecords1767225600155,
    CreateKeptBlocks1767225600160,
    LetErasuresWithdrawNothing1767225600161,
    AddPushesToProviderLists1767225600170,
    CreateProviderListPushes1767225600171,
    AddSourceToProviderLists1767225600180,
    AddPushErrorToProviderLists1767225600210,
    IndexUrgentPushes1767225600211,
    IndexKeptBlocksByAnnouncement1767225600230,
    AddKeyToUnsubscribeMailIds1767225600231,
    IndexOpenPushes1767225600240,
    IndexDueRemovals1767225600241,
    IndexCountedRemovals1767225600242,
    ContractRemovalsOfProviderLists1767225600243,
    IndexSourcesWithSecrets1767225600250,
  ],
  released: RELEASED_SCHEMA,
};
