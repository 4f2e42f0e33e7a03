import type { Command } from 'commander';
import type { Account } from '../accounts/account.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { withServices } from './context.js';
import { command, jsonOption, type JsonOption } from './options.js';
import { printRow, printTable } from './output.js';

interface CreateOptions extends JsonOption {
  beta?: boolean;
}

export function accountCommand(): Command {
  return command('account', 'Manage accounts')
    .addCommand(
      command('create', 'Create an account')
        .argument('<name>', 'Lower-case letters, digits and hyphens')
        .option('--beta', 'Admit it to the private beta')
        .addOption(jsonOption())
        .action((name: string, options: CreateOptions) =>
          change(options, (accounts) => accounts.create(name, options.beta ?? false)),
        ),
    )
    .addCommand(command('list', 'List accounts').addOption(jsonOption()).action(listAccounts))
    .addCommand(
      command('admit', 'Admit an account to the private beta')
        .argument('<name>')
        .addOption(jsonOption())
        .action((name: string, options: JsonOption) => change(options, (accounts) => accounts.admit(name))),
    )
    .addCommand(
      command('suspend', 'Refuse the keys of an account until it is admitted again')
        .argument('<name>')
        .addOption(jsonOption())
        .action((name: string, options: JsonOption) => change(options, (accounts) => accounts.suspend(name))),
    );
}

function listAccounts({ json }: JsonOption): Promise<void> {
  return withServices(async (app) => {
    const accounts = await app.get(AccountsService).list();
    await printTable(accounts.map(toRow), { json, empty: 'No accounts.' });
  });
}

/** Changes an account and prints it. */
function change(options: JsonOption, work: (accounts: AccountsService) => Promise<Account>): Promise<void> {
  return withServices(async (app) => printRow(toRow(await work(app.get(AccountsService))), options));
}

function toRow({ name, createdAt, betaAdmittedAt }: Account): Record<string, unknown> {
  return {
    name,
    created_at: createdAt.toISOString(),
    beta_admitted_at: betaAdmittedAt?.toISOString() ?? null,
  };
}
