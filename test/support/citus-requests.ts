import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SCOPES } from '../../src/api-keys/scopes.js';
import { OPERATOR } from './operator.js';
import type { TestApp } from './test-app.js';

/** The parts of a response that the tests use. */
export interface Body {
  id: string;
  status: string;
  total: number | null;
  has_more: boolean;
  cursor: string;
  rules_version: string | null;
  data: { id: string; email: string; type: string; verdict: string; url: string }[];
}

export interface Response {
  status: number;
  body: Body;
}

export async function send(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const isText = typeof body === 'string';
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...headers,
      ...(body !== undefined && { 'Content-Type': isText ? 'text/csv' : 'application/json' }),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
  };
}

export interface TestAccount {
  accountId: number;
  key: string;
}

export async function createAccount({ app }: TestApp): Promise<TestAccount> {
  const { id: accountId } = await app.get(AccountsService).create(OPERATOR, `account-${randomUUID()}`, true);
  const settings = { name: 'default', scopes: [...SCOPES], expiresAt: null };
  const context = { accountId, actor: OPERATOR, deadline: Infinity };
  return { accountId, key: (await app.get(ApiKeysService).create(context, settings)).secret };
}

interface Address {
  key: string;
  email: string;
  changes: string[];
  /** A request was refused or lost, so its change may be there. */
  isOpen?: boolean;
}

/** Add and remove addresses of several accounts, each request through another instance, and read each change at once. */
export class ListWriters {
  acknowledged = 0;
  readonly refusals: number[] = [];
  private readonly addresses: Address[] = [];
  private isStopping = false;
  private readonly running: Promise<void>[];

  constructor(
    private readonly instances: readonly { url: string }[],
    private readonly keys: readonly string[],
    private readonly pauseMs = 0,
  ) {
    this.running = keys.map((key, number) => this.write(key, number));
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.running);
  }

  /** The addresses whose changes in the feed are not the acknowledged ones, in their order. */
  async differencesFromFeed(): Promise<string[]> {
    const differences: string[] = [];
    for (const key of this.keys) {
      const changes = await this.readFeed(key);
      for (const { email, changes: acknowledged, isOpen } of this.addresses.filter(
        (address) => address.key === key,
      )) {
        const got = changes.filter((change) => change.email === email).map(({ type }) => type);
        const expected = isOpen ? got.slice(0, acknowledged.length) : got;
        if (expected.join() !== acknowledged.join() || got.length > acknowledged.length + 1) {
          differences.push(`${email}: ${got.join()} instead of ${acknowledged.join()}`);
        }
      }
    }
    return differences;
  }

  private async write(key: string, writer: number): Promise<void> {
    const run = randomUUID().slice(0, 8);
    for (let step = 0; !this.isStopping; step++) {
      const address = this.addressOf(key, `user${step % 10}.${writer}@${run}.example`);
      if (address.isOpen) {
        await this.change(this.addressOf(key, `other${step}.${writer}@${run}.example`), step, true);
      } else {
        await this.change(address, step, address.changes.length % 2 === 0);
      }
      await delay(this.pauseMs);
    }
  }

  private async change(address: Address, step: number, isAddition: boolean): Promise<void> {
    const { key, email } = address;
    /** The instances may have been replaced meanwhile. */
    const urlOf = (number: number) => this.instances[number % this.instances.length]!.url;
    const { status } = isAddition
      ? await send(urlOf(step), key, 'POST', '/suppressions', { email })
      : await send(urlOf(step), key, 'DELETE', `/suppressions/${email}`);
    if (status !== 200 && status !== 201) {
      this.refusals.push(status);
      address.isOpen = true;
      return;
    }
    this.acknowledged++;
    address.changes.push(isAddition ? 'suppression.added' : 'suppression.removed');
    const { status: checked, body } = await send(urlOf(step + 1), key, 'POST', '/suppressions/check', {
      emails: [email],
    });
    if (checked !== 200) {
      this.refusals.push(checked);
    } else if ((body.data[0]!.verdict === 'suppressed') !== isAddition) {
      throw new Error(`A check after an acknowledged change returned ${JSON.stringify(body)}`);
    }
  }

  private addressOf(key: string, email: string): Address {
    const known = this.addresses.find((address) => address.email === email);
    const address = known ?? { key, email, changes: [] };
    if (!known) {
      this.addresses.push(address);
    }
    return address;
  }

  private async readFeed(key: string): Promise<{ email: string; type: string }[]> {
    const changes = [];
    for (let after = ''; ;) {
      const { body } = await send(this.instances[0]!.url, key, 'GET', `/changes?limit=1000${after}`);
      changes.push(...body.data);
      if (!body.has_more) {
        return changes;
      }
      after = `&after=${encodeURIComponent(body.cursor)}`;
    }
  }
}
