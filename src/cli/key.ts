import { Option, type Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import type { ApiKey } from '../api-keys/api-key.entity.js';
import { ApiKeysService, type CreatedApiKey } from '../api-keys/api-keys.service.js';
import { SCOPES, type Scope } from '../api-keys/scopes.js';
import { withServices } from './context.js';
import { command, jsonOption, parseDuration, parseLifetime, printRows } from './options.js';

const OVERLAP = '24h';

interface CreateOptions {
  account: string;
  name: string;
  scope: Scope[];
  expires?: number;
  json?: boolean;
}

export function keyCommand(): Command {
  return command('key', 'the API keys that callers show')
    .addCommand(
      command('create', 'make a key and print its secret, which is never shown again')
        .requiredOption('--account <name>', 'the account it belongs to')
        .option('--name <name>', 'what it is for', 'default')
        .addOption(
          new Option('--scope <scope...>', 'what it may do')
            .choices(SCOPES)
            .default([...SCOPES], 'everything'),
        )
        .option(
          '--expires <duration>',
          'how long it works, as 90d, 12h or 30m; for ever if not given',
          parseLifetime,
        )
        .addOption(jsonOption())
        .action(createKey),
    )
    .addCommand(
      command('list', 'list the keys, without their secrets')
        .option('--account <name>', 'of this account only')
        .addOption(jsonOption())
        .action(listKeys),
    )
    .addCommand(
      command('revoke', 'refuse a key from now on')
        .argument('<id>', 'the id that "key list" shows')
        .addOption(jsonOption())
        .action(revokeKey),
    )
    .addCommand(
      command('rotate', 'make a key like another one, print its secret, and let the old one end')
        .argument('<id>', 'the id that "key list" shows')
        .addOption(
          new Option('--overlap <duration>', 'how long the old key still works')
            .argParser(parseDuration)
            .default(parseDuration(OVERLAP), OVERLAP),
        )
        .addOption(jsonOption())
        .action((id: string, { overlap, json }: { overlap: number; json?: boolean }) =>
          withServices(async (app) => printCreated(await app.get(ApiKeysService).rotate(id, overlap), json)),
        ),
    );
}

function createKey({ account, name, scope, expires, json }: CreateOptions): Promise<void> {
  return withServices(async (app) => {
    const owner = await app.get(AccountsService).get(account);
    const expiresAt = expires === undefined ? null : new Date(Date.now() + expires);
    printCreated(await app.get(ApiKeysService).create(owner, { name, scopes: scope, expiresAt }), json);
  });
}

function printCreated({ id, secret }: CreatedApiKey, json: boolean | undefined): void {
  console.log(json ? JSON.stringify({ id, key: secret }) : secret);
}

function revokeKey(id: string, { json }: { json?: boolean }): Promise<void> {
  return withServices(async (app) => {
    await app.get(ApiKeysService).revoke(id);
    console.log(json ? JSON.stringify({ id, revoked: true }) : `Revoked ${id}.`);
  });
}

function listKeys({ account, json }: { account?: string; json?: boolean }): Promise<void> {
  return withServices(async (app) => {
    const accounts = await app.get(AccountsService).list();
    const names = new Map(accounts.map(({ id, name }) => [id, name]));
    const owner = account === undefined ? undefined : await app.get(AccountsService).get(account);
    const keys = await app.get(ApiKeysService).list(owner);
    printRows(
      keys.map((key) => toRow(key, names.get(key.accountId)!)),
      json,
    );
  });
}

function toRow(key: ApiKey, account: string): Record<string, unknown> {
  return {
    id: key.id,
    account,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    successor_id: key.successorId,
  };
}
