import type { Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import { UsageError } from '../process/operator-error.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { confirm, yesOption, type YesOption } from './input.js';
import { operator, withServices } from './context.js';
import { command, jsonOption, type JsonOption } from './options.js';
import { printAs } from './output.js';

interface Options extends JsonOption, YesOption {
  account?: string;
  all?: boolean;
}

export function webhookCommand(): Command {
  return command('webhook', 'Manage the webhooks of accounts').addCommand(
    command('disable', 'Disable webhooks, for example of a suspended account, or in a copy of the database')
      .option('--account <name>', 'Disable the webhooks of an account')
      .option('--all', 'Disable the webhooks of all accounts')
      .addOption(yesOption())
      .addOption(jsonOption())
      .action(disable),
  );
}

function disable({ account: name, all, yes, json }: Options): Promise<void> {
  return withServices(async (app) => {
    if ((name === undefined) === (all === undefined)) {
      throw new UsageError('Name an account with --account, or all accounts with --all.');
    }
    const account = name === undefined ? undefined : await app.get(AccountsService).get(name);
    const whose = account ? `the account ${account.name}` : 'all accounts';
    await confirm(`Disable the webhooks of ${whose}, so that their endpoints receive nothing?`, { yes });
    const disabled = await app.get(WebhooksService).disableAll(operator(), account);
    await printAs(json, { disabled }, `Disabled ${disabled} webhooks.`);
  });
}
