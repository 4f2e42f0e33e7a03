import type { Command } from 'commander';
import { AccountsService } from '../../accounts/accounts.service.js';
import { handOverFirst } from '../../database/transaction.js';
import { PROVIDER_NAMES, providerOf, type ProviderName } from '../../inbound/providers/providers.js';
import { awaitedSecrets } from '../../inbound/sources/new-source.js';
import type { SoftLimit } from '../../inbound/sources/source.entity.js';
import { SourceTopicsService, type TopicMapping } from '../../inbound/sources/source-topics.service.js';
import { SourceChangesService } from '../../inbound/sources/source-changes.service.js';
import { SourcesService, type CreatedSource } from '../../inbound/sources/sources.service.js';
import { requiredChoice, command, commandLine, jsonOption, type JsonOption } from '../options.js';
import { operatorContext, withServices } from '../context.js';
import { fieldLines, printAs, terminalColumns, wrap } from '../output.js';
import {
  parseSecret,
  parseSoftLimit,
  parseTopicMappings,
  pickProviderOptions,
  providerOptions,
  readSecrets,
} from './source-options.js';

interface CreateOptions extends JsonOption {
  account: string;
  provider: ProviderName;
  name?: string;
  secret?: [name: string, value: string][];
  softLimit?: SoftLimit;
  topic?: TopicMapping[];
}

export function sourceCreateCommand(): Command {
  const create = command('create', 'Create a source; print its URL and how to set up the provider')
    .requiredOption('--account <name>', 'Account whose list the source feeds')
    .addOption(requiredChoice('--provider <provider>', 'Provider that sends the events', PROVIDER_NAMES))
    .option('--name <name>', 'Name of the source in the history (default: the provider)')
    .option('--secret <name=value>', 'Secret; name=- reads the value from standard input', parseSecret)
    .option(
      '--soft-limit <failures/days>',
      'Suppress after this many soft failures in this many days, such as 5/14d',
      parseSoftLimit,
    )
    .option(
      '--topic <key=kind:name>',
      'Topic for a kind of mail at the provider, such as news=group:10; may be repeated',
      parseTopicMappings,
    )
    .addOption(jsonOption())
    .action(createSource);
  providerOptions().forEach((option) => create.addOption(option));
  return create;
}

/**
 * Without topics, it prints the source before the COMMIT. With topics, it deletes the source again if it cannot map or print them.
 */
function createSource(options: CreateOptions): Promise<void> {
  return withServices(async (app) => {
    const { account, provider, name = provider, softLimit, topic: mappings = [], json } = options;
    const owner = await app.get(AccountsService).get(account);
    const topics = app.get(SourceTopicsService);
    await topics.requireMappable(owner.id, provider, mappings);
    const secrets = await readSecrets(options.secret ?? []);
    const sources = app.get(SourcesService);
    const stored = { ...pickProviderOptions({ ...options }), ...(softLimit && { softLimit }) };
    const context = { ...operatorContext(), accountId: owner.id };
    const create = () => sources.create(context, provider, { name, secrets, options: stored });
    const print = (created: CreatedSource) => printCreated(created, sources.urlOf(created.source), json);
    if (mappings.length === 0) {
      await handOverFirst(create, print);
      return;
    }
    const created = await create();
    const { source } = created;
    try {
      for (const mapping of mappings) {
        await topics.map(context, source, mapping);
      }
      await print(created);
    } catch (problem) {
      await app.get(SourceChangesService).deleteWithoutEvents(context, source);
      throw problem;
    }
  });
}

/** The URL and each command are lines of their own, to be pasted. */
function printCreated(
  { source, generatedSecrets }: CreatedSource,
  url: string,
  json?: boolean,
): Promise<void> {
  const { id } = source;
  const provider = providerOf(source.provider);
  const awaited = awaitedSecrets(provider, source.secrets).map(({ name, description }) => {
    const secret = commandLine('source', 'secret', id, `${name}=-`);
    const what = description.charAt(0).toLowerCase() + description.slice(1);
    return `Enter this secret with the command below: ${what}\n${secret}`;
  });
  const setup = [...provider.setup, ...awaited];
  const hasSecrets = Object.keys(generatedSecrets).length > 0;
  const text = [
    ...fieldLines({ id, ...generatedSecrets }),
    '\nURL:',
    url,
    ...(hasSecrets ? ['\nThe secrets above are never shown again.'] : []),
    '',
    ...setup.map((step, index) => numbered(index + 1, step)),
  ];
  return printAs(json, { id, url, secrets: generatedSecrets, setup }, text.join('\n'));
}

function numbered(number: number, step: string): string {
  const [sentence, ...commands] = step.split('\n');
  const label = `${number}. `;
  const lines = wrap(sentence!, terminalColumns() - label.length);
  return [label + lines.join(`\n${' '.repeat(label.length)}`), ...commands].join('\n');
}
