import { Injectable } from '@nestjs/common';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import { withTimeLimit } from '../../process/time-limit.js';
import { ProviderClient, type ProviderConnection } from '../client/provider-client.js';
import { isAbsent, requireSuccess, TOO_SLOW, UNEXPECTED_BODY } from '../client/provider-failure.js';
import { toEntry } from '../comparison/to-entry.js';
import type { ChangeOutcome, ListProvider, ProviderRequest } from '../providers/provider.js';
import { listProviderOf } from '../providers/providers.js';
import { isOutdated, judge, type FoundEntry, type Verdict } from './push-outcomes.js';
import type { TakenPush } from './outbox.repository.js';

const REQUEST_MS = 15_000;
const NO_ENTRY = 404;
/** A plan has read the list with these settings, so the provider means the address. */
const REFUSED = [400, 422];

/** The context in which a change is sent. */
export interface Sending {
  connection: ProviderConnection;
  stopping: AbortSignal;
  /** The number of requests, including lookups. */
  requests: number;
}

@Injectable()
export class PushSender {
  constructor(private readonly client: ProviderClient) {}

  /**
   * Looks the entry up, and decides whether the change is sent.
   *
   * @throws {ProviderFailure}
   */
  async check(sending: Sending, push: TakenPush): Promise<Verdict | 'refused'> {
    const provider = listProviderOf(sending.connection.provider);
    if (!provider[push.action]) {
      return 'impossible';
    }
    if ((!provider.find && !push.consent) || isOutdated(provider, push, new Date())) {
      return 'changed';
    }
    const found = provider.find && (await this.find(sending, provider, push));
    return found === undefined ? 'send' : found === 'refused' ? found : judge(provider, push, found);
  }

  /** @throws {ProviderFailure} if the result is unknown, or nothing was done */
  async change(sending: Sending, push: TakenPush): Promise<ChangeOutcome> {
    const { connection } = sending;
    const changes = listProviderOf(connection.provider)[push.action]!;
    const request = changes.request(push, connection);
    const { status, body } = await this.request(sending, request, permissionOf(connection, push));
    if (status === NO_ENTRY && push.action === 'add') {
      requireSuccess(status, '', null);
    }
    if (REFUSED.includes(status)) {
      return 'refused';
    }
    if (status === NO_ENTRY || !changes.read) {
      return 'done';
    }
    const outcome = changes.read(body, push);
    if (!outcome) {
      throw UNEXPECTED_BODY;
    }
    return outcome;
  }

  /**
   * The causes that have an effect under the settings at the provider.
   *
   * @throws {ProviderFailure}
   */
  async effectiveCauses(sending: Sending): Promise<readonly Cause[]> {
    const { connection } = sending;
    const effect = listProviderOf(connection.provider).effect?.(connection.scope);
    if (!effect) {
      return CAUSES;
    }
    const { status, body } = await this.request(sending, effect.request, effect.permission);
    const causes = status === NO_ENTRY || REFUSED.includes(status) ? null : effect.read(body);
    if (!causes) {
      throw UNEXPECTED_BODY;
    }
    return causes;
  }

  private async find(
    sending: Sending,
    provider: ListProvider,
    push: TakenPush,
  ): Promise<FoundEntry | 'refused' | null> {
    const find = provider.find!;
    const request = find.request(push, sending.connection);
    const permission = find.permission.replace('{list}', push.list);
    const { status, body } = await this.request(sending, request, permission);
    if (REFUSED.includes(status)) {
      return 'refused';
    }
    const item = status === NO_ENTRY ? null : find.read(body, push);
    if (item === null) {
      return null;
    }
    const capability = provider.lists.find(({ list }) => list === push.list)!;
    const entry = item === undefined ? null : toEntry(capability, item, new Date());
    if (entry?.email !== push.email) {
      throw UNEXPECTED_BODY;
    }
    return { ...entry, isPermanent: find.isPermanent?.(item) ?? false };
  }

  /** @returns a successful response, or one that says something about the address */
  private async request(
    sending: Sending,
    request: ProviderRequest,
    permission: string,
  ): Promise<{ status: number; body: unknown }> {
    const { connection, stopping } = sending;
    sending.requests++;
    return withTimeLimit(stopping, REQUEST_MS, async (signal) => {
      try {
        const response = await this.client.request(connection, request, signal);
        const { status, retryAfterMs } = response;
        const body = parse(await response.text());
        if (!REFUSED.includes(status) && (status !== NO_ENTRY || !isAbsent(body))) {
          requireSuccess(status, permission, retryAfterMs);
        }
        return { status, body };
      } catch (error) {
        throw signal.aborted && !stopping.aborted ? TOO_SLOW : error;
      }
    });
  }
}

function permissionOf({ provider }: ProviderConnection, { action, list, cause }: TakenPush): string {
  const { additions, removals } = listProviderOf(provider);
  const lines = action === 'add' ? additions.filter((line) => line.cause === cause) : removals;
  const line = lines.find((candidate) => candidate.list === list);
  return line && 'permission' in line ? line.permission : action;
}

/** The JSON of a response; null if there is none, since responses to changes may be empty or plain text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
