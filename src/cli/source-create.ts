import { Option, type Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import { PROVIDER_NAMES, type ProviderName } from '../inbound/providers/providers.js';
import { awaitedSecrets } from '../inbound/sources/new-source.js';
import type { SoftLimit, StoredOptions } from '../inbound/sources/source.entity.js';
import { providerOf, SourcesService, type CreatedSource } from '../inbound/sources/sources.service.js';
import { withServices } from './context.js';
import { command, jsonOption, type JsonOption } from './options.js';
import { fieldLines, print } from './output.js';
import { collect, parseGroup, parseSecret, parseSoftLimit, readSecrets } from './source-options.js';

interface CreateOptions extends JsonOption {
  account: string;
  provider: ProviderName;
  name?: string;
  secret?: [name: string, value: string][];
  topicArn?: string[];
  emailIdField?: string;
  unsubscribeGroup?: number[];
  softLimit?: SoftLimit;
  messageIdDomain?: string[];
  unproven?: 'allow' | 'refuse';
}

export function sourceCreateCommand(): Command {
  return command('create', 'Create a source; print its URL and how to set up the provider')
    .requiredOption('--account <name>', 'Account whose list the source feeds')
    .addOption(
      new Option('--provider <provider>', 'Who sends the events')
        .choices(PROVIDER_NAMES)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'Name of the source in the history (default: the provider)')
    .option('--secret <name=value>', 'Secret; name=- reads the value from standard input', parseSecret)
    .option('--topic-arn <arn>', 'Amazon SES: SNS topic to accept', collect)
    .option('--email-id-field <field>', 'Field that carries your own UUID of the email')
    .option(
      '--unsubscribe-group <number>',
      'SendGrid: unsubscribe group that stands for all mail; Mailjet: such a contact list',
      parseGroup,
    )
    .option(
      '--soft-limit <failures/days>',
      'Suppress after this many soft failures in this many days, such as 5/14d',
      parseSoftLimit,
    )
    .option('--message-id-domain <domain>', 'mail: domain of your Message-IDs, which prove a report', collect)
    .addOption(
      new Option(
        '--unproven <what>',
        'mail: what to do with a report on an email that may not be yours',
      ).choices(['refuse', 'allow']),
    )
    .addOption(jsonOption())
    .action(createSource);
}

/** A source whose secrets nobody saw is deleted again. */
function createSource(options: CreateOptions): Promise<void> {
  return withServices(async (app) => {
    const { account, provider, name = provider, json } = options;
    const owner = await app.get(AccountsService).get(account);
    const secrets = await readSecrets(options.secret ?? []);
    const sources = app.get(SourcesService);
    const created = await sources.create(owner, provider, { name, secrets, options: toStored(options) });
    try {
      await printCreated(created, sources.urlOf(created.source), json);
    } catch (problem) {
      await sources.delete(created.source);
      throw problem;
    }
  });
}

function toStored(options: CreateOptions): StoredOptions {
  const { emailIdField, topicArn, unsubscribeGroup, softLimit, messageIdDomain, unproven } = options;
  return {
    ...(emailIdField !== undefined && { emailIdField }),
    ...(topicArn && { topicArns: topicArn }),
    ...(unsubscribeGroup && { unsubscribeGroups: unsubscribeGroup }),
    ...(softLimit && { softLimit }),
    ...(messageIdDomain && { messageIdDomains: messageIdDomain }),
    ...(unproven && { allowUnproven: unproven === 'allow' }),
  };
}

function printCreated({ source, made }: CreatedSource, url: string, json?: boolean): Promise<void> {
  const provider = providerOf(source.provider);
  const awaited = awaitedSecrets(provider, source.secrets).map(
    ({ name, description }) => `Then run: source secret ${source.id} ${name}=-  ${description}`,
  );
  const setup = [...provider.setup, ...awaited];
  if (json) {
    return print(JSON.stringify({ id: source.id, url, secrets: made, setup }));
  }
  const warning = Object.keys(made).length > 0 ? ['', 'These secrets are never shown again.'] : [];
  const steps = setup.map((step, index) => `${index + 1}. ${step}`);
  return print([...fieldLines({ id: source.id, url, ...made }), ...warning, '', ...steps].join('\n'));
}
