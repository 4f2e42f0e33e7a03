import { InvalidArgumentError, Option, type Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console/console-settings.js';
import { PeopleService } from '../console/people/people.service.js';
import { ROLES, type Role } from '../console/people/roles.js';
import { handOverFirst } from '../database/hand-over.js';
import { InvalidEmailAddress } from '../email-address/invalid-email-address.js';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { withServices } from './context.js';
import { operator } from './operator.js';
import { command, jsonOption, type JsonOption } from './options.js';
import { print } from './output.js';

interface InviteOptions extends JsonOption {
  account: string;
  role?: Role;
}

export function consoleCommand(): Command {
  return command('console', 'Manage access to the console').addCommand(
    command('invite', 'Print a link for signing in to the console, which works once, within 15 minutes')
      .argument('<email>', 'Address of the person', parsePerson)
      .requiredOption('--account <name>', 'Account that the person gets access to')
      .addOption(
        new Option('--role <role>', 'What the person may do (default: the present role, or viewer)').choices(
          ROLES,
        ),
      )
      .addOption(jsonOption())
      .action(invite),
  );
}

function invite(email: EmailAddress, { account, role, json }: InviteOptions): Promise<void> {
  return withServices(async (app) => {
    const { id: accountId } = await app.get(AccountsService).get(account);
    const people = app.get(PeopleService);
    const { baseUrl } = app.get<ConsoleSettings>(CONSOLE_SETTINGS);
    await handOverFirst(
      () => people.invite({ accountId, actor: operator(), deadline: Infinity }, email, role),
      ({ person, token }) => {
        const url = `${baseUrl}/console/sign-in/${token}`;
        return print(json ? JSON.stringify({ email, role: person.role, url }) : url);
      },
    );
  });
}

function parsePerson(text: string): EmailAddress {
  const address = parseEmailAddress(text);
  if (address instanceof InvalidEmailAddress) {
    throw new InvalidArgumentError(`It ${address.problem}.`);
  }
  return address;
}
