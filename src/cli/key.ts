import { Option, type Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import type { ApiKey } from '../api-keys/api-key.entity.js';
import { ApiKeysService, type CreatedApiKey } from '../api-keys/api-keys.service.js';
import { SCOPES, type Scope } from '../api-keys/scopes.js';
import { handOverFirst } from '../database/hand-over.js';
import { withServices } from './context.js';
import { operator } from './operator.js';
import { command, jsonOption, parseDuration, parseLifetime, type JsonOption } from './options.js';
import { print, printTable } from './output.js';

const OVERLAP = '24h';

interface CreateOptions extends JsonOption {
  account: string;
  name: string;
  scope: Scope[];
  expires?: number;
}

export function keyCommand(): Command {
  return command('key', 'Manage API keys')
    .addCommand(
      command('create', 'Create a key and print its secret, which is never shown again')
        .requiredOption('--account <name>', 'Account that the key belongs to')
        .option('--name <name>', 'Name of the key', 'default')
        .addOption(
          new Option('--scope <scope...>', 'What the key may do').choices(SCOPES).default([...SCOPES], 'all'),
        )
        .option(
          '--expires <duration>',
          'Lifetime, such as 90d, 12h or 30m (default: unlimited)',
          parseLifetime,
        )
        .addOption(jsonOption())
        .action(createKey),
    )
    .addCommand(
      command('list', 'List keys, without their secrets')
        .option('--account <name>', 'Only keys of this account')
        .addOption(jsonOption())
        .action(listKeys),
    )
    .addCommand(
      command('revoke', 'Revoke a key')
        .argument('<id>', 'Id of the key, from "key list"')
        .addOption(jsonOption())
        .action(revokeKey),
    )
    .addCommand(
      command('rotate', 'Replace a key: create its successor, print the secret, and let the old key expire')
        .argument('<id>', 'Id of the key, from "key list"')
        .addOption(
          new Option('--overlap <duration>', 'How long the old key still works')
            .argParser(parseDuration)
            .default(parseDuration(OVERLAP), OVERLAP),
        )
        .addOption(jsonOption())
        .action(rotateKey),
    );
}

function createKey({ account, name, scope, expires, json }: CreateOptions): Promise<void> {
  return withServices(async (app) => {
    const owner = await app.get(AccountsService).get(account);
    const expiresAt = expires === undefined ? null : new Date(Date.now() + expires);
    const key = { name, scopes: scope, expiresAt };
    const keys = app.get(ApiKeysService);
    await handOverFirst(
      () => keys.create({ accountId: owner.id, actor: operator(), deadline: Infinity }, key),
      (created) => printSecret(created, json),
    );
    if (!owner.betaAdmittedAt) {
      console.error(
        `The account ${account} is not admitted to the beta: run "account admit ${account}" before you use the key.`,
      );
    }
  });
}

function rotateKey(id: string, { overlap, json }: { overlap: number } & JsonOption): Promise<void> {
  return withServices(async (app) => {
    const keys = app.get(ApiKeysService);
    await handOverFirst(
      () => keys.rotate({ actor: operator(), deadline: Infinity }, id, overlap),
      (created) => printSecret(created, json),
    );
  });
}

function printSecret({ id, secret }: CreatedApiKey, json?: boolean): Promise<void> {
  return print(json ? JSON.stringify({ id, key: secret }) : secret);
}

function revokeKey(id: string, { json }: JsonOption): Promise<void> {
  return withServices(async (app) => {
    const keys = app.get(ApiKeysService);
    await handOverFirst(
      () => keys.revoke({ actor: operator(), deadline: Infinity }, id),
      () => print(json ? JSON.stringify({ id, revoked: true }) : `Revoked ${id}.`),
    );
  });
}

function listKeys({ account, json }: { account?: string } & JsonOption): Promise<void> {
  return withServices(async (app) => {
    const accounts = await app.get(AccountsService).list();
    const names = new Map(accounts.map(({ id, name }) => [id, name]));
    const owner = account === undefined ? undefined : await app.get(AccountsService).get(account);
    const keys = await app.get(ApiKeysService).list(owner);
    await printTable(
      keys.map((key) => toRow(key, names.get(key.accountId)!, json)),
      { json, empty: 'No API keys.' },
    );
  });
}

function toRow(key: ApiKey, account: string, json?: boolean): Record<string, unknown> {
  return {
    id: key.id,
    account,
    name: key.name,
    prefix: key.prefix,
    scopes: json || key.scopes.length < SCOPES.length ? key.scopes : 'all',
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    successor_id: key.successorId,
  };
}
