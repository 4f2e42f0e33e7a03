import { InvalidArgumentError, type Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { canBeMailbox } from '../unsubscribe-links/mail-ids.repository.js';
import { UnsubscribeKeysService } from '../unsubscribe-links/unsubscribe-keys.service.js';
import {
  UnsubscribeSettingsService,
  type ChosenSettings,
} from '../unsubscribe-links/unsubscribe-settings.service.js';
import { isName } from '../validation/parsers.js';
import { confirm, yesOption, type YesOption } from './input.js';
import { changeAndPrint, contextOf, operator, withServices } from './context.js';
import { command, jsonOption, numberUpTo, type JsonOption } from './options.js';
import { printAs, printRow, printTable } from './output.js';

const parseId = numberUpTo(9_999_999_999, 'Use the number that "unsubscribe keys" prints.');

interface AccountOption extends JsonOption {
  account: string;
}

export function unsubscribeCommand(): Command {
  return command('unsubscribe', 'Manage unsubscribe links and the page for recipients')
    .addCommand(
      forAccount('key', 'Print the newest key and its id, for mailers that create links themselves').action(
        printKey,
      ),
    )
    .addCommand(
      forAccount('rotate', 'Create a key for new links; links of older keys keep working').action(rotateKey),
    )
    .addCommand(forAccount('keys', 'List the ids of the keys, newest first').action(listKeys))
    .addCommand(
      forAccount('revoke', 'Invalidate all links of a key that may have leaked')
        .argument('<id>', 'Id of the key, from "unsubscribe keys"', parseId)
        .addOption(yesOption())
        .action(revokeKey),
    )
    .addCommand(
      forAccount('set', 'Change the sender name on the page and the mailbox for mailto links')
        .option('--sender-name <name>', 'Name on the page, such as "Acme Ltd"', parseSenderName)
        .option('--mailbox <address>', 'Mailbox for mailto links, read by a source of "mail"', parseMailbox)
        .action(setSettings),
    );
}

function forAccount(name: string, description: string): Command {
  return command(name, description)
    .requiredOption('--account <name>', 'Account that sends the emails')
    .addOption(jsonOption());
}

function printKey({ account, json }: AccountOption): Promise<void> {
  return changeAndPrint(
    async (app) => app.get(UnsubscribeKeysService).getNewest(await contextOf(app, account)),
    ({ id, bytes }) => {
      const key = bytes.toString('hex');
      return printAs(json, { id, key }, `${id} ${key}`);
    },
  );
}

function rotateKey({ account, json }: AccountOption): Promise<void> {
  return changeAndPrint(
    async (app) => app.get(UnsubscribeKeysService).create(await contextOf(app, account)),
    ({ id }) =>
      printAs(json, { id }, `New links use the key ${id} within a minute. Older links keep working.`),
  );
}

function listKeys({ account, json }: AccountOption): Promise<void> {
  return withServices(async (app) => {
    const { accountId } = await contextOf(app, account);
    const keys = await app.get(UnsubscribeKeysService).list(accountId);
    await printTable(
      keys.map(({ id, createdAt }) => ({ id, created_at: createdAt.toISOString() })),
      { json, empty: 'No keys. The first link makes one.' },
    );
  });
}

function revokeKey(id: number, { account, yes, json }: AccountOption & YesOption): Promise<void> {
  return withServices(async (app) => {
    const context = await contextOf(app, account);
    await confirm(`Revoke the key ${id}, so that links with this key no longer work?`, { yes });
    await app.get(UnsubscribeKeysService).revoke(context, id);
    await printAs(json, { id, revoked: true }, `Links made with the key ${id} stop working within a minute.`);
  });
}

function setSettings({ account, json, ...changes }: AccountOption & Partial<ChosenSettings>): Promise<void> {
  return changeAndPrint(
    async (app) => {
      const owner = await app.get(AccountsService).get(account);
      return app.get(UnsubscribeSettingsService).update(owner, operator(), changes);
    },
    ({ senderName, mailbox }) => printRow({ account, sender_name: senderName, mailbox }, { json }),
  );
}

function parseSenderName(text: string): string {
  if (!isName(text)) {
    throw new InvalidArgumentError('Use 1 to 100 characters, not only spaces, without control characters.');
  }
  return text;
}

function parseMailbox(text: string): EmailAddress {
  const address = parseEmailAddress(text);
  if (address instanceof InvalidEmailAddress || !canBeMailbox(address)) {
    throw new InvalidArgumentError(
      'Use an address with at most 37 letters, digits, dots, hyphens and underscores before the @.',
    );
  }
  return address;
}
