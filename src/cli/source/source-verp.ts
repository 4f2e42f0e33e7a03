import { InvalidArgumentError, type Command } from 'commander';
import { parseDomain } from '../../email-address/domain.js';
import { InvalidEmailAddress } from '../../email-address/invalid-email-address.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { InvalidSourceError } from '../../inbound/sources/errors.js';
import { RETURN_PATH_KEY } from '../../inbound/providers/mail/origin.js';
import { signReturnPath } from '../../inbound/providers/mail/return-path.js';
import { uuidIn } from '../../inbound/parsing/email-id.js';
import { SourcesService } from '../../inbound/sources/sources.service.js';
import { withServices } from '../context.js';
import { command, jsonOption, parseAddress, type JsonOption } from '../options.js';
import { printAs } from '../output.js';

interface VerpOptions extends JsonOption {
  domain: string;
  recipient?: EmailAddress;
}

export function sourceVerpCommand(): Command {
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
    const sources = app.get(SourcesService);
    const source = await sources.get(id);
    const key = sources.settingsOf(source).secrets[RETURN_PATH_KEY];
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
