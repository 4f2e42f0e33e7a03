import { Option, type Command } from 'commander';
import { AccountsService } from '../accounts/accounts.service.js';
import { EventCountsRepository, type EventCount } from '../inbound/inbox/event-counts.repository.js';
import { InboxService } from '../inbound/inbox/inbox.service.js';
import { awaitedSecrets } from '../inbound/sources/new-source.js';
import { PROVIDER_NAMES, type ProviderName } from '../inbound/providers/providers.js';
import type { SoftLimit, Source, StoredOptions } from '../inbound/sources/source.entity.js';
import { providerOf, SourcesService, type CreatedSource } from '../inbound/sources/sources.service.js';
import { withServices } from './context.js';
import { command, jsonOption, printRows } from './options.js';
import { collect, parseGroup, parseSecret, parseSoftLimit, readSecrets } from './source-options.js';
import { verpCommand } from './source-verp.js';

interface CreateOptions {
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
  json?: boolean;
}

interface JsonOption {
  json?: boolean;
}

export function sourceCommand(): Command {
  return command('source', 'the places that events of mail providers arrive from')
    .addCommand(createCommand())
    .addCommand(
      command('list', 'list the sources')
        .option('--account <name>', 'of this account only')
        .addOption(jsonOption())
        .action(listSources),
    )
    .addCommand(
      command('show', 'show the URL of a source, what it received, and what went wrong last')
        .argument('<id>', 'the id that "source list" shows')
        .addOption(jsonOption())
        .action(showSource),
    )
    .addCommand(
      command('secret', 'tell a source a secret that the provider made, or another one in its place')
        .argument('<id>', 'the id that "source list" shows')
        .argument('<name=value>', 'the secret; name=- reads it from the standard input', (value: string) =>
          parseSecret(value),
        )
        .addOption(jsonOption())
        .action((id: string, secret: [name: string, value: string][], options: JsonOption) =>
          change(options, async (sources) => sources.setSecrets(id, await readSecrets(secret))),
        ),
    )
    .addCommand(verpCommand())
    .addCommand(
      command('pause', 'answer 503, so that the provider keeps its events')
        .argument('<id>', 'the id that "source list" shows')
        .addOption(jsonOption())
        .action((id: string, options: JsonOption) => change(options, (sources) => sources.pause(id))),
    )
    .addCommand(
      command('resume', 'take events again')
        .argument('<id>', 'the id that "source list" shows')
        .addOption(jsonOption())
        .action((id: string, options: JsonOption) => change(options, (sources) => sources.resume(id))),
    )
    .addCommand(
      command('delete', 'delete a source and the events it received; what they did to the list stays')
        .argument('<id>', 'the id that "source list" shows')
        .addOption(jsonOption())
        .action(deleteSource),
    );
}

function createCommand(): Command {
  return command('create', 'make a source; print its URL, and what to do at the provider')
    .requiredOption('--account <name>', 'the account whose list it feeds')
    .addOption(
      new Option('--provider <provider>', 'who sends the events')
        .choices(PROVIDER_NAMES)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what the ledger calls it; the provider if not given')
    .option('--secret <name=value>', 'a secret; name=- reads it from the standard input', parseSecret)
    .option('--topic-arn <arn>', 'Amazon SES: a topic that may speak here', collect)
    .option('--email-id-field <field>', 'the field in which your own UUID of the mail travels')
    .option(
      '--unsubscribe-group <number>',
      'SendGrid: a group that stands for all mail; Mailjet: a contact list that does',
      parseGroup,
    )
    .option(
      '--soft-limit <failures/days>',
      'suppress after so many soft failures in so many days, as 5/14d',
      parseSoftLimit,
    )
    .option('--message-id-domain <domain>', 'mail: a domain of your Message-IDs, which prove a mail', collect)
    .addOption(
      new Option(
        '--unproven <what>',
        'mail: what to do with a report on a mail that may not be ours',
      ).choices(['refuse', 'allow']),
    )
    .addOption(jsonOption())
    .action(createSource);
}

function createSource(options: CreateOptions): Promise<void> {
  return withServices(async (app) => {
    const { account, provider, name = provider, json } = options;
    const owner = await app.get(AccountsService).get(account);
    const secrets = await readSecrets(options.secret ?? []);
    const sources = app.get(SourcesService);
    const created = await sources.create(owner, provider, { name, secrets, options: toStored(options) });
    printCreated(created, sources.urlOf(created.source), json);
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

function printCreated({ source, made }: CreatedSource, url: string, json: boolean | undefined): void {
  const provider = providerOf(source.provider);
  const awaited = awaitedSecrets(provider, source.secrets).map(
    ({ name, description }) => `Then: source secret ${source.id} ${name}=-  ${description}`,
  );
  const setup = [...provider.setup, ...awaited];
  if (json) {
    console.log(JSON.stringify({ id: source.id, url, secrets: made, setup }));
    return;
  }
  const shown = Object.entries({ id: source.id, url, ...made });
  const width = Math.max(...shown.map(([name]) => name.length));
  const lines = shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  const warning = Object.keys(made).length > 0 ? ['', 'The secrets are never shown again.'] : [];
  console.log([...lines, ...warning, '', ...setup.map((step, index) => `${index + 1}. ${step}`)].join('\n'));
}

function listSources({ account, json }: { account?: string; json?: boolean }): Promise<void> {
  return withServices(async (app) => {
    const accounts = app.get(AccountsService);
    const names = new Map((await accounts.list()).map(({ id, name }) => [id, name]));
    const owner = account === undefined ? undefined : await accounts.get(account);
    const sources = await app.get(SourcesService).list(owner);
    printRows(
      sources.map((source) => ({ account: names.get(source.accountId)!, ...toRow(source) })),
      json,
    );
  });
}

function showSource(id: string, { json }: JsonOption): Promise<void> {
  return withServices(async (app) => {
    const sources = app.get(SourcesService);
    const source = await sources.get(id);
    const counts = await app.get(EventCountsRepository).count(source);
    const shown = { ...toRow(source), url: sources.urlOf(source), ...toDetails(source, counts) };
    if (json) {
      console.log(JSON.stringify({ ...shown, options: source.options, counts: counts.map(toCount) }));
      return;
    }
    const width = Math.max(...Object.keys(shown).map((name) => name.length));
    for (const [name, value] of Object.entries(shown)) {
      console.log(`${name.padEnd(width)}  ${value ?? '-'}`);
    }
    console.log('');
    printRows(counts.map(toCount), false);
  });
}

function deleteSource(id: string, { json }: JsonOption): Promise<void> {
  return withServices(async (app) => {
    await app.get(InboxService).deleteSource(id);
    console.log(json ? JSON.stringify({ id, deleted: true }) : `Deleted ${id}.`);
  });
}

/** Changes one source and prints what it is now. */
function change({ json }: JsonOption, work: (sources: SourcesService) => Promise<Source>): Promise<void> {
  return withServices(async (app) => {
    const row = toRow(await work(app.get(SourcesService)));
    if (json) {
      console.log(JSON.stringify(row));
    } else {
      printRows([row], false);
    }
  });
}

function toRow({ id, provider, name, createdAt, pausedAt }: Source): Record<string, unknown> {
  return {
    id,
    provider,
    name,
    created_at: createdAt.toISOString(),
    paused_at: pausedAt?.toISOString() ?? null,
  };
}

function toDetails(source: Source, counts: EventCount[]): Record<string, unknown> {
  const last = Math.max(...counts.map(({ lastReceivedAt }) => lastReceivedAt.getTime()));
  return {
    last_event_at: counts.length > 0 ? new Date(last).toISOString() : null,
    bad_signatures: Number(source.badSignatures),
    ...(source.provider === 'mail' && { unproven: counts.reduce((sum, { unproven }) => sum + unproven, 0) }),
    last_error: source.lastError,
    last_error_at: source.lastErrorAt?.toISOString() ?? null,
  };
}

function toCount({ kind, outcome, events, lastReceivedAt }: EventCount): Record<string, unknown> {
  return { kind, outcome, events, last_received_at: lastReceivedAt.toISOString() };
}
