import { Option, type Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import type { ApiKey } from '../api-keys/api-key.entity.js';
import { ApiKeysService, type CreatedApiKey, type NewApiKey } from '../api-keys/api-keys.service.js';
import { DEFAULT_SCOPES, DEFAULT_SET, nameOfSet, SCOPES, type Scope } from '../api-keys/scopes.js';
import { handOverFirst } from '../database/transaction.js';
import { printable } from '../process/printable.js';
import { command, commandLine, jsonOption, parseDuration, parseExpiry, type JsonOption } from './options.js';
import { confirm, yesOption, type YesOption } from './input.js';
import { changeAndPrint, operatorContext, withServices } from './context.js';
import { printAs, printTable } from './output.js';

const OVERLAP = '24h';

interface CreateOptions extends JsonOption {
  account: string;
  name: string;
  scope: Scope[];
  expires?: Date;
}

export function keyCommand(): Command {
  return command('key', 'Manage API keys')
    .addCommand(
      command('create', 'Create a key and print its secret, which is never shown again')
        .requiredOption('--account <name>', 'Account that the key belongs to')
        .option('--name <name>', 'Name of the key', 'default')
        .addOption(scopeOption())
        .option('--expires <time>', 'When the key expires: 90d, 12h, 30m, 2027-01-15, …', parseExpiry)
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
        .addOption(yesOption())
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

/** Takes several scopes after spaces, after commas, or in repetitions of the option. */
function scopeOption(): Option {
  const option = new Option('--scope <scope...>', 'What the key may do, separated by spaces or commas')
    .choices(SCOPES)
    .default([...DEFAULT_SCOPES], DEFAULT_SET);
  const parseOne = option.parseArg!;
  return option.argParser((list, given: unknown) =>
    list
      .replace(/,$/, '')
      .split(',')
      .reduce((scopes, scope) => parseOne(scope, scopes), given),
  );
}

function createKey({ account, name, scope, expires, json }: CreateOptions): Promise<void> {
  return withServices(async (app) => {
    const owner = await app.get(AccountsService).get(account);
    const key = { name, scopes: scope, expiresAt: expires ?? null };
    const keys = app.get(ApiKeysService);
    await handOverFirst(
      () => keys.create({ ...operatorContext(), accountId: owner.id }, key),
      (created) => printSecret(created, json),
    );
    if (!json) {
      explain(key, account);
    }
    if (!owner.betaAdmittedAt) {
      const admit = commandLine('account', 'admit', account);
      console.error(
        `The account ${account} is not admitted to the beta. Before you use the key, run: ${admit}`,
      );
    }
  });
}

/** Standard output has only the secret, for scripts. */
function explain({ name, scopes, expiresAt }: NewApiKey, account: string): void {
  const until = expiresAt ? `until ${expiresAt.toISOString()}` : 'until it is revoked';
  console.error(
    `This is the API key ${printable(name)} of the account ${account}. It works ${until}, with the scopes: ` +
      `${nameOfSet(scopes) ?? scopes.join(', ')}. It is not shown again. Send it in the header ` +
      'Authorization: Bearer <API_KEY>, or store it for commands with: suppressions login.',
  );
}

function rotateKey(id: string, { overlap, json }: { overlap: number } & JsonOption): Promise<void> {
  return changeAndPrint(
    (app) => app.get(ApiKeysService).rotate(operatorContext(), id, overlap),
    (created) => printSecret(created, json),
  );
}

function printSecret({ id, secret }: CreatedApiKey, json?: boolean): Promise<void> {
  return printAs(json, { id, key: secret }, secret);
}

function revokeKey(id: string, { json, yes }: JsonOption & YesOption): Promise<void> {
  return changeAndPrint(
    async (app) => {
      const keys = app.get(ApiKeysService);
      const key = (await keys.list()).find((one) => one.id === id.toLowerCase() && !one.revokedAt);
      if (key) {
        const named = `"${key.name}" (${key.prefix}…)`;
        await confirm(`Revoke the key ${named}, so that its requests are refused?`, { yes }, 'proceed');
      }
      return keys.revoke(operatorContext(), id);
    },
    () => printAs(json, { id, revoked: true }, `Revoked ${id}.`),
  );
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
    scopes: json ? key.scopes : (nameOfSet(key.scopes) ?? key.scopes),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    successor_id: key.successorId,
  };
}
