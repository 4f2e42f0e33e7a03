import { InvalidArgumentError, type Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { canBeMailbox } from '../unsubscribe-links/mail-ids.repository.js';
import { UnsubscribeKeysService } from '../unsubscribe-links/unsubscribe-keys.service.js';
import {
  UnsubscribeSettingsService,
  type ChosenSettings,
} from '../unsubscribe-links/unsubscribe-settings.service.js';
import { isName } from '../validation/name.js';
import { withServices } from './context.js';
import { operator } from './operator.js';
import { command, jsonOption, type JsonOption } from './options.js';
import { print, printRow } from './output.js';

interface AccountOption extends JsonOption {
  account: string;
}

export function unsubscribeCommand(): Command {
  return command('unsubscribe', 'Manage unsubscribe links and the page of recipients')
    .addCommand(
      forAccount('key', 'Print the id and the key that make links, for mailers that make their own').action(
        printKey,
      ),
    )
    .addCommand(
      forAccount('rotate', 'Create a new key for new links; links of older keys keep working').action(
        rotateKey,
      ),
    )
    .addCommand(
      forAccount('set', 'Change what recipients see and where they can write')
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
  return withServices(async (app) => {
    const { id: accountId } = await app.get(AccountsService).get(account);
    const { id, bytes } = await app.get(UnsubscribeKeysService).getNewest(accountId, Infinity);
    const key = bytes.toString('hex');
    await print(json ? JSON.stringify({ id, key }) : `${id} ${key}`);
  });
}

function rotateKey({ account, json }: AccountOption): Promise<void> {
  return withServices(async (app) => {
    const { id: accountId } = await app.get(AccountsService).get(account);
    const { id } = await app.get(UnsubscribeKeysService).create(accountId, operator(), Infinity);
    await print(
      json
        ? JSON.stringify({ id })
        : `New links use the key ${id} within a minute. Older links keep working.`,
    );
  });
}

function setSettings({ account, json, ...changes }: AccountOption & Partial<ChosenSettings>): Promise<void> {
  return withServices(async (app) => {
    const owner = await app.get(AccountsService).get(account);
    const settings = app.get(UnsubscribeSettingsService);
    const { senderName, mailbox } = await settings.update(owner, operator(), changes);
    await printRow({ account, sender_name: senderName, mailbox }, { json });
  });
}

function parseSenderName(text: string): string {
  if (!isName(text)) {
    throw new InvalidArgumentError('Use 1 to 100 characters, without control characters.');
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
