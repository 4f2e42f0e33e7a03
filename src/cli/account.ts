import type { Command } from 'commander';
import type { Account } from '../accounts/account.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { withServices } from './context.js';
import { command, jsonOption, printRows } from './options.js';

interface Options {
  json?: boolean;
  beta?: boolean;
}

export function accountCommand(): Command {
  return command('account', 'those who own a list each')
    .addCommand(
      command('create', 'create an account')
        .argument('<name>', 'lower-case letters, digits and hyphens')
        .option('--beta', 'admit it to the private beta at once')
        .addOption(jsonOption())
        .action((name: string, options: Options) =>
          change(options, (accounts) => accounts.create(name, options.beta ?? false)),
        ),
    )
    .addCommand(
      command('list', 'list the accounts')
        .addOption(jsonOption())
        .action(({ json }: Options) =>
          withServices(async (app) => printRows((await app.get(AccountsService).list()).map(toRow), json)),
        ),
    )
    .addCommand(
      command('admit', 'admit an account to the private beta')
        .argument('<name>')
        .addOption(jsonOption())
        .action((name: string, options: Options) => change(options, (accounts) => accounts.admit(name))),
    )
    .addCommand(
      command('suspend', 'refuse the keys of an account until it is admitted again')
        .argument('<name>')
        .addOption(jsonOption())
        .action((name: string, options: Options) => change(options, (accounts) => accounts.suspend(name))),
    );
}

/** Changes one account and prints what it is now. */
function change({ json }: Options, work: (accounts: AccountsService) => Promise<Account>): Promise<void> {
  return withServices(async (app) => {
    const row = toRow(await work(app.get(AccountsService)));
    if (json) {
      console.log(JSON.stringify(row));
    } else {
      printRows([row], false);
    }
  });
}

function toRow({ name, createdAt, betaAdmittedAt }: Account): Record<string, unknown> {
  return {
    name,
    created_at: createdAt.toISOString(),
    beta_admitted_at: betaAdmittedAt?.toISOString() ?? null,
  };
}
