import { InvalidArgumentError, type Command } from 'commander';
import {
  COMPLAINT_REACHES,
  INCIDENT_GUARDS,
  REMOVAL_POLICIES,
  type Account,
  type AccountSettings,
} from '../accounts/account.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import {
  formatBounceExpiry,
  formatInboxRetention,
  parseBounceExpiry,
  parseInboxRetention,
  RETENTION_PERIOD,
} from '../accounts/periods.js';
import { Invalid } from '../validation/parsers.js';
import { confirm, yesOption, type YesOption } from './input.js';
import { changeAndPrint, contextOf, operator, withServices } from './context.js';
import { choice, command, jsonOption, parseDays, type JsonOption } from './options.js';
import { printRow, printTable } from './output.js';

interface CreateOptions extends JsonOption {
  beta?: boolean;
}

interface SetOptions extends JsonOption, Partial<Omit<AccountSettings, 'bounceExpiry' | 'inboxRetention'>> {
  bounceExpiry?: BounceExpiry;
  inboxRetention?: InboxRetention;
}

/** An object, since Commander takes null for a missing value. */
type BounceExpiry = Pick<AccountSettings, 'bounceExpiry'>;
type InboxRetention = Pick<AccountSettings, 'inboxRetention'>;

export function accountCommand(): Command {
  return command('account', 'Manage accounts')
    .addCommand(
      command('create', 'Create an account')
        .argument('<name>', 'Lower-case letters, digits, and hyphens')
        .option('--beta', 'Admit the account to the private beta')
        .addOption(jsonOption())
        .action((name: string, options: CreateOptions) =>
          change(options, (accounts) => accounts.create(operator(), name, options.beta ?? false)),
        ),
    )
    .addCommand(command('list', 'List accounts').addOption(jsonOption()).action(listAccounts))
    .addCommand(
      command('set', 'Change the settings of an account, or show them if there are no options')
        .argument('<name>')
        .addOption(
          choice('--removal <policy>', 'Whether lifting suppressions requires evidence', REMOVAL_POLICIES),
        )
        .addOption(choice('--complaint-reach <reach>', 'Which mail a complaint stops', COMPLAINT_REACHES))
        .option(
          '--bounce-expiry <terms>',
          'How long the first, second, … bounce suppresses, such as 7d,30d,180d, or off',
          parseTerms,
        )
        .option(
          '--inbox-retention <days>',
          'How long the inbox keeps events that ask for no change, such as 30d, or default',
          parseRetention,
        )
        .addOption(choice('--incident-guard <guard>', 'What to do about waves of bounces', INCIDENT_GUARDS))
        .addOption(jsonOption())
        .action(setSettings),
    )
    .addCommand(
      command('admit', 'Admit an account to the private beta')
        .argument('<name>')
        .addOption(jsonOption())
        .action((name: string, options: JsonOption) =>
          change(options, (accounts) => accounts.admit(operator(), name)),
        ),
    )
    .addCommand(
      command('suspend', 'Refuse all keys of an account until it is admitted again')
        .argument('<name>')
        .addOption(yesOption())
        .addOption(jsonOption())
        .action(suspend),
    );
}

function listAccounts({ json }: JsonOption): Promise<void> {
  return withServices(async (app) => {
    const accounts = await app.get(AccountsService).list();
    await printTable(accounts.map(toRow), { json, empty: 'No accounts.' });
  });
}

function setSettings(
  name: string,
  { json, bounceExpiry, inboxRetention, ...changes }: SetOptions,
): Promise<void> {
  return changeAndPrint(
    async (app) => {
      const settings = { ...changes, ...bounceExpiry, ...inboxRetention };
      return app.get(AccountsService).changeSettings(await contextOf(app, name), settings);
    },
    (changed) => printRow(toSettingsRow(changed, json), { json }),
  );
}

/** Reads `7d,30d`, or `off`. */
function parseTerms(text: string): BounceExpiry {
  const terms = text === 'off' ? null : text.split(',').map((term) => `${parseDays(term)}d`);
  const bounceExpiry = parseBounceExpiry(terms);
  if (bounceExpiry instanceof Invalid) {
    throw new InvalidArgumentError(
      'Use 1 to 10 durations of whole days, each at least as long as the previous one, such as 7d,30d,180d, or off.',
    );
  }
  return { bounceExpiry };
}

/** Reads `30d`, or `default`. */
function parseRetention(text: string): InboxRetention {
  const inboxRetention = parseInboxRetention(text === 'default' ? null : `${parseDays(text)}d`);
  if (inboxRetention instanceof Invalid) {
    throw new InvalidArgumentError(`Use ${RETENTION_PERIOD}, or default.`);
  }
  return { inboxRetention };
}

function suspend(name: string, options: JsonOption & YesOption): Promise<void> {
  return change(options, async (accounts) => {
    await accounts.get(name);
    await confirm(`Suspend the account ${name}, so that all its keys are refused?`, options, 'proceed');
    return accounts.suspend(operator(), name);
  });
}

function change(options: JsonOption, work: (accounts: AccountsService) => Promise<Account>): Promise<void> {
  return changeAndPrint(
    (app) => work(app.get(AccountsService)),
    (account) => printRow(toRow(account), options),
  );
}

function toRow({ name, createdAt, betaAdmittedAt }: Account): Record<string, unknown> {
  return {
    name,
    created_at: createdAt.toISOString(),
    beta_admitted_at: betaAdmittedAt?.toISOString() ?? null,
  };
}

/** In text, `bounce_expiry` has the form that the option accepts. */
function toSettingsRow(
  { name, removal, complaintReach, bounceExpiry, inboxRetention, incidentGuard }: Account,
  json?: boolean,
): Record<string, unknown> {
  const terms = formatBounceExpiry(bounceExpiry);
  return {
    name,
    removal,
    complaint_reach: complaintReach,
    bounce_expiry: json ? terms : (terms?.join(',') ?? 'off'),
    inbox_retention: formatInboxRetention(inboxRetention) ?? (json ? null : 'default'),
    incident_guard: incidentGuard,
  };
}
