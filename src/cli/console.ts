import type { Command } from 'commander';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console/console-settings.js';
import { PeopleService } from '../console/people/people.service.js';
import { ROLES, type Role } from '../console/people/roles.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { changeAndPrint, contextOf } from './context.js';
import { choice, command, jsonOption, parseAddress, type JsonOption } from './options.js';
import { printAs } from './output.js';

interface InviteOptions extends JsonOption {
  account: string;
  role?: Role;
}

export function consoleCommand(): Command {
  return command('console', 'Manage access to the console').addCommand(
    command('invite', 'Print a link for signing in to the console, which works once, within 15 minutes')
      .argument('<email>', 'Address of the person', parseAddress)
      .requiredOption('--account <name>', 'Account that the person gets access to')
      .addOption(
        choice('--role <role>', 'What the person may do (default: the present role, or viewer)', ROLES),
      )
      .addOption(jsonOption())
      .action(invite),
  );
}

async function invite(email: EmailAddress, { account, role, json }: InviteOptions): Promise<void> {
  let invited = '';
  await changeAndPrint(
    async (app) => app.get(PeopleService).invite(await contextOf(app, account), email, role),
    ({ person, token }, app) => {
      invited = person.role;
      const url = `${app.get<ConsoleSettings>(CONSOLE_SETTINGS).baseUrl}/console/sign-in/${token}`;
      return printAs(json, { email, role: person.role, url }, url);
    },
  );
  if (json) {
    return;
  }
  console.error(
    `Send this link to ${email}. It signs in to the console of the account ${account}, with the role ${invited}, once, within 15 ` +
      'minutes, and is not shown again. Nothing was sent.',
  );
}
