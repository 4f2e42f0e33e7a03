import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, IsNull, Not, Repository, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Account } from '../accounts/account.entity.js';
import type { Actor } from '../audit/actor.js';
import type { AuditAction } from '../audit/audit-entry.entity.js';
import { differencesBetween, recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import { readFeedBacklogs, type FeedBacklog } from '../feed/feed-backlogs.js';
import { FeedService } from '../feed/feed.service.js';
import { requireFound } from '../http/errors/api-error.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { deleteDeliveries } from './delivery/delivery-deletion.js';
import { RETRY_NOW } from './delivery/due-deliveries.js';
import { WebhookClient } from './endpoint/webhook-client.js';
import { TooManyWebhooksError, WebhookNotFoundError } from './errors.js';
import { findPositionBefore } from './position-before.js';
import { SigningSecrets } from './signing-secrets.js';
import { stateAfter, subjectOf, toAuditChanges } from './webhook-changes.js';
import { Webhook } from './webhook.entity.js';

const MAX_WEBHOOKS = 200;

export type NewWebhook = Pick<Webhook, 'endpoint' | 'events'>;

export type WebhookChanges = Partial<Pick<Webhook, 'endpoint' | 'events' | 'status'>>;

/** A webhook, and the secret that its receiver verifies events with. */
export interface WebhookWithSecret {
  webhook: Webhook;
  signingSecret: string;
}

@Injectable()
export class WebhooksService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly secrets: SigningSecrets,
    private readonly feed: FeedService,
    private readonly client: WebhookClient,
  ) {}

  /**
   * Creates a webhook, which receives every event after this.
   *
   * @throws {EndpointNotPublicError}
   * @throws {TooManyWebhooksError}
   * @throws {NoSecretsKeyError}
   */
  async create(context: RequestContext, newWebhook: NewWebhook): Promise<WebhookWithSecret> {
    const { accountId } = context;
    this.client.requireReachable(newWebhook.endpoint);
    const id = uuidv7();
    const signingSecrets = [this.secrets.generate(id)];
    const { position } = await this.feed.head(accountId);
    const webhook = await transactionBefore(this.dataSource, context, async (transaction) => {
      const webhooks = transaction.getRepository(Webhook);
      await transaction.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
      if ((await webhooks.countBy({ accountId })) >= MAX_WEBHOOKS) {
        throw new TooManyWebhooksError(MAX_WEBHOOKS);
      }
      await webhooks.insert({ ...newWebhook, accountId, id, signingSecrets, position: String(position) });
      const subject = subjectOf({ id, ...newWebhook });
      const changes = differencesBetween({}, { endpoint: subject.name, events: newWebhook.events });
      await recordAudit(transaction, context, 'webhook.created', subject, changes);
      return webhooks.findOneByOrFail({ accountId, id });
    });
    return this.withSecret(webhook);
  }

  /** The changes whose events the endpoint has not received. Those that wait for a retry do not count. */
  async backlog(webhook: Webhook): Promise<FeedBacklog> {
    const [backlog] = await readFeedBacklogs(this.dataSource, [webhook]);
    return backlog!;
  }

  /**
   * @throws {WebhookNotFoundError}
   * @throws {UnreadableSigningSecretError}
   */
  async get(accountId: number, id: string): Promise<WebhookWithSecret> {
    return this.withSecret(await this.find(accountId, id));
  }

  /** @throws {WebhookNotFoundError} */
  async find(accountId: number, id: string): Promise<Webhook> {
    return requireFound(await this.webhooks.findOneBy({ accountId, id }), WebhookNotFoundError);
  }

  /** Newest first. */
  page(accountId: number, cursor: Cursor): Promise<Page<Webhook>> {
    return findPage(this.webhooks, [{ accountId }], cursor);
  }

  /** Webhooks that are failing, or were disabled because they failed, newest first. */
  findFailing(accountId: number): Promise<Webhook[]> {
    return this.webhooks.find({
      where: [
        { accountId, status: 'enabled', failingSince: Not(IsNull()) },
        { accountId, disabledReason: In(['gone', 'failing']) },
      ],
      order: { id: 'DESC' },
    });
  }

  /**
   * Changes a webhook. If it is enabled afterwards, an event that waits for its next attempt is sent immediately.
   *
   * @throws {WebhookNotFoundError}
   * @throws {EndpointNotPublicError}
   */
  async update(context: RequestContext, id: string, changes: WebhookChanges): Promise<Webhook> {
    if (changes.endpoint !== undefined) {
      this.client.requireReachable(changes.endpoint);
    }
    return this.change(context, 'webhook.updated', id, (webhook) => ({
      ...changes,
      ...stateAfter(webhook, changes),
    }));
  }

  /**
   * Disables all webhooks of an account, or of all accounts.
   *
   * @returns the number of webhooks that were enabled
   */
  async disableAll(actor: Actor, account?: Pick<Account, 'id'>): Promise<number> {
    const enabled = await this.webhooks.findBy({
      status: 'enabled',
      ...(account && { accountId: account.id }),
    });
    for (const { accountId, id } of enabled) {
      await this.update({ accountId, actor, deadline: Infinity }, id, { status: 'disabled' });
    }
    return enabled.length;
  }

  /**
   * Creates a new secret. The old one keeps signing for 24 hours.
   *
   * @throws {WebhookNotFoundError}
   * @throws {NoSecretsKeyError}
   */
  async rotateSecret(context: RequestContext, id: string): Promise<WebhookWithSecret> {
    const action = 'webhook.secret_rotated';
    const webhook = await this.change(context, action, id, ({ signingSecrets }) => ({
      signingSecrets: this.secrets.rotate(id, signingSecrets, new Date()),
    }));
    return this.withSecret(webhook);
  }

  /**
   * Sends the events since a time again.
   *
   * @throws {WebhookNotFoundError}
   */
  async replaySince(context: RequestContext, id: string, since: Date): Promise<Webhook> {
    await this.find(context.accountId, id);
    const position = String(await findPositionBefore(this.feed, context, since));
    return this.change(context, 'webhook.replayed', id, (webhook) => ({
      position: BigInt(position) < BigInt(webhook.position) ? position : webhook.position,
    }));
  }

  /**
   * Deletes a webhook and its deliveries. A webhook with millions of deliveries may take several calls: until the last one,
   * it is disabled.
   *
   * @throws {WebhookNotFoundError}
   */
  async delete(context: RequestContext, id: string): Promise<Webhook> {
    const { accountId } = context;
    await this.update(context, id, { status: 'disabled' });
    await deleteDeliveries(this.dataSource, context, id);
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const webhook = await lockWebhook(transaction, accountId, id);
      await transaction.delete(Webhook, { accountId, id });
      await recordAudit(transaction, context, 'webhook.deleted', subjectOf(webhook));
      return webhook;
    });
  }

  private change(
    context: RequestContext,
    action: AuditAction,
    id: string,
    changesOf: (webhook: Webhook) => Partial<Webhook>,
  ): Promise<Webhook> {
    const { accountId } = context;
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const webhook = await lockWebhook(transaction, accountId, id);
      const changes = changesOf(webhook);
      const differences = toAuditChanges(webhook, changes);
      if (action !== 'webhook.updated' || Object.keys(differences).length > 0) {
        await recordAudit(transaction, context, action, subjectOf(webhook), differences);
      }
      Object.assign(webhook, changes, { version: webhook.version + 1 });
      await transaction.save(webhook);
      await RETRY_NOW.run(transaction, [accountId, id]);
      return webhook;
    });
  }

  private withSecret(webhook: Webhook): WebhookWithSecret {
    return { webhook, signingSecret: this.secrets.reveal(webhook.id, webhook.signingSecrets) };
  }
}

/** @throws {WebhookNotFoundError} */
export async function lockWebhook(
  transaction: EntityManager,
  accountId: number,
  id: string,
): Promise<Webhook> {
  const lock = { mode: 'pessimistic_write' } as const;
  const found = await transaction.findOne(Webhook, { where: { accountId, id }, lock });
  return requireFound(found, WebhookNotFoundError);
}
