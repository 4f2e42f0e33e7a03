import { InvalidArgumentError, type Command } from 'commander';
import { AccountsService } from '../../accounts/accounts.service.js';
import { InvalidEmailAddress, parseDomain, type EmailAddress } from '../../email-address/email-address.js';
import { uuidIn } from '../../inbound/parsing/report.js';
import { RETURN_PATH_KEY, signReturnPath } from '../../inbound/providers/mail.js';
import { InvalidSourceError } from '../../inbound/sources/errors.js';
import { SourceChangesService } from '../../inbound/sources/source-changes.service.js';
import { SourceTopicsService, type TopicMapping } from '../../inbound/sources/source-topics.service.js';
import type { Source } from '../../inbound/sources/source.entity.js';
import { SourceSecrets } from '../../inbound/sources/source-secrets.js';
import { SourcesService } from '../../inbound/sources/sources.service.js';
import { changeAndPrint, operatorContext, withServices } from '../context.js';
import { confirm, yesOption, type YesOption } from '../input.js';
import { command, jsonOption, parseAddress, type JsonOption } from '../options.js';
import { printAs, printRow, printTable } from '../output.js';
import { watching } from '../stopping.js';
import { sourceCreateCommand } from './source-create.js';
import { parseSecret, parseTopicMapping, readSecrets } from './source-options.js';
import { sourceShowCommand, toRow, toTopicRow } from './source-show.js';

interface VerpOptions extends JsonOption {
  domain: string;
  recipient?: EmailAddress;
}

function sourceVerpCommand(): Command {
  return command('verp', 'Print a signed return path, which proves that a bounce is about your email')
    .argument('<id>', 'Id of the source, from "source list"')
    .argument('<uuid>', 'Your own UUID of the email', parseUuid)
    .requiredOption('--domain <domain>', 'Domain that receives the bounces', parseDomainOption)
    .option(
      '--recipient <address>',
      'Recipient of the email; the return path then proves bounces of no other address',
      parseAddress,
    )
    .addOption(jsonOption())
    .action(printReturnPath);
}

function printReturnPath(id: string, uuid: string, { domain, recipient, json }: VerpOptions): Promise<void> {
  return withServices(async (app) => {
    const source = await app.get(SourcesService).get(id);
    const key = app.get(SourceSecrets).settingsOf(source).secrets[RETURN_PATH_KEY];
    if (!key) {
      throw new InvalidSourceError(
        `Only sources of the provider "mail" sign return paths. The provider of ${id} is "${source.provider}".`,
      );
    }
    const returnPath = `${signReturnPath(key, uuid, recipient)}@${domain}`;
    await printAs(json, { return_path: returnPath }, returnPath);
  });
}

function parseUuid(value: string): string {
  const uuid = uuidIn(value);
  if (uuid === null) {
    throw new InvalidArgumentError('Use a UUID.');
  }
  return uuid;
}

function parseDomainOption(value: string): string {
  const domain = parseDomain(value);
  if (domain instanceof InvalidEmailAddress) {
    throw new InvalidArgumentError('Use a domain, such as bounces.example.com.');
  }
  return domain;
}

export function sourceCommand(): Command {
  return command('source', 'Manage sources: the mail providers and servers that send delivery events')
    .addCommand(sourceCreateCommand())
    .addCommand(
      command('list', 'List sources')
        .option('--account <name>', 'Only sources of this account')
        .addOption(jsonOption())
        .action(listSources),
    )
    .addCommand(sourceShowCommand())
    .addCommand(
      onSource('secret', 'Set a secret that the provider generated')
        .argument('<name=value>', 'Secret; name=- reads the value from standard input', parseSecret)
        .action((id: string, secret: [name: string, value: string][], options: JsonOption) =>
          change(options, async (sources) =>
            sources.setSecrets(operatorContext(), id, await readSecrets(secret)),
          ),
        ),
    )
    .addCommand(
      onSource('map', 'Map a kind of mail at the provider to a topic, and move earlier opt-outs to it')
        .argument(
          '<key=kind:name>',
          'Key of a topic and kind of mail, such as news=group:10',
          parseTopicMapping,
        )
        .action(mapTopic),
    )
    .addCommand(sourceVerpCommand())
    .addCommand(
      onSource('pause', 'Respond 503, so that the provider keeps its events and retries').action(
        (id: string, options: JsonOption) =>
          change(options, (sources) => sources.pause(operatorContext(), id)),
      ),
    )
    .addCommand(
      onSource('resume', 'Accept events again').action((id: string, options: JsonOption) =>
        change(options, (sources) => sources.resume(operatorContext(), id)),
      ),
    )
    .addCommand(
      onSource('delete', 'Delete a source and its events, but keep the suppressions that they caused')
        .addOption(yesOption())
        .action(deleteSource),
    );
}

function onSource(name: string, description: string): Command {
  return command(name, description)
    .argument('<id>', 'Id of the source, from "source list"')
    .addOption(jsonOption());
}

function listSources({ account, json }: { account?: string } & JsonOption): Promise<void> {
  return withServices(async (app) => {
    const accounts = app.get(AccountsService);
    const names = new Map((await accounts.list()).map(({ id, name }) => [id, name]));
    const owner = account === undefined ? undefined : await accounts.get(account);
    const sources = await app.get(SourcesService).list(owner);
    await printTable(
      sources.map((source) => ({ account: names.get(source.accountId)!, ...toRow(source) })),
      { json, empty: 'No sources.' },
    );
  });
}

function mapTopic(id: string, mapping: TopicMapping, { json }: JsonOption): Promise<void> {
  return withServices(async (app) => {
    const source = await app.get(SourcesService).get(id);
    const topics = app.get(SourceTopicsService);
    await topics.map(operatorContext(), source, mapping);
    await printTable((await topics.list(source)).map(toTopicRow), { json });
  });
}

function deleteSource(id: string, { json, yes }: JsonOption & YesOption): Promise<void> {
  return withServices(async (app) => {
    const { name, provider } = await app.get(SourcesService).get(id);
    const question = `Delete the source "${name}" of ${provider}, its URL, and its events?`;
    await confirm(question, { yes }, 'proceed');
    const hint = `The source may be paused, and some of its events deleted. Repeat the command, or run "source resume ${id}".`;
    await watching(hint, () => app.get(SourceChangesService).delete(operatorContext(), id));
    await printAs(json, { id, deleted: true }, `Deleted ${id}.`);
  });
}

function change(
  options: JsonOption,
  work: (sources: SourceChangesService) => Promise<Source>,
): Promise<void> {
  return changeAndPrint(
    (app) => work(app.get(SourceChangesService)),
    (source) => printRow(toRow(source), options),
  );
}
