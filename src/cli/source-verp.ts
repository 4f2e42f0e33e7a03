import { InvalidArgumentError, type Command } from 'commander';
import {
  InvalidEmailAddress,
  parseDomain,
  parseEmailAddress,
  type EmailAddress,
} from '../email-address/email-address.js';
import { InvalidSourceError } from '../inbound/sources/errors.js';
import { RETURN_PATH_KEY } from '../inbound/providers/mail/origin.js';
import { signReturnPath } from '../inbound/providers/mail/return-path.js';
import { uuidIn } from '../inbound/parsing/email-id.js';
import { SourcesService } from '../inbound/sources/sources.service.js';
import { withServices } from './context.js';
import { command, jsonOption } from './options.js';

interface VerpOptions {
  domain: string;
  recipient?: EmailAddress;
  json?: boolean;
}

export function verpCommand(): Command {
  return command('verp', 'print a signed return path, by which the bounces of a mail prove that it was ours')
    .argument('<id>', 'the id that "source list" shows')
    .argument('<uuid>', 'your own id of the mail', parseUuid)
    .requiredOption('--domain <domain>', 'the domain that takes the bounces', parseDomainOption)
    .option('--recipient <address>', 'let it prove nothing of anybody else', parseRecipient)
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
        `The source ${id} is one of ${source.provider}: it signs no return paths.`,
      );
    }
    const returnPath = `${signReturnPath(key, uuid, recipient)}@${domain}`;
    console.log(json ? JSON.stringify({ return_path: returnPath }) : returnPath);
  });
}

function parseUuid(value: string): string {
  const uuid = uuidIn(value);
  if (uuid === null) {
    throw new InvalidArgumentError('It is a UUID.');
  }
  return uuid;
}

function parseDomainOption(value: string): string {
  const domain = parseDomain(value);
  if (domain instanceof InvalidEmailAddress) {
    throw new InvalidArgumentError('It is a domain: bounces.example.com.');
  }
  return domain;
}

function parseRecipient(value: string): EmailAddress {
  const address = parseEmailAddress(value);
  if (address instanceof InvalidEmailAddress) {
    throw new InvalidArgumentError(`It ${address.problem}.`);
  }
  return address;
}
