import type { Command } from 'commander';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { confirm, yesOption, type YesOption } from './input.js';
import { operator, withServices } from './context.js';
import { command, jsonOption, type JsonOption } from './options.js';
import { printAs } from './output.js';

export function webhookCommand(): Command {
  return command('webhook', 'Manage the webhooks of all accounts').addCommand(
    command('disable', 'Disable all webhooks, for example in a copy of the database')
      .requiredOption('--all', 'Disable the webhooks of all accounts')
      .addOption(yesOption())
      .addOption(jsonOption())
      .action(disableAll),
  );
}

function disableAll({ yes, json }: JsonOption & YesOption): Promise<void> {
  return withServices(async (app) => {
    await confirm('Disable the webhooks of all accounts, so that their endpoints receive nothing?', { yes });
    const disabled = await app.get(WebhooksService).disableAll(operator());
    await printAs(json, { disabled }, `Disabled ${disabled} webhooks.`);
  });
}
