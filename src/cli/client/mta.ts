import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { isPrivate, parseEndpoint, describeEndpoint, type Endpoint } from '../../mta/endpoint.js';
import { parsePurpose, parseUserPurposes, type MailPurpose } from '../../mta/verdict-source.js';
import type { OnFailure } from '../../mta/protocol.js';
import { fileProblem } from '../../process/file-problem.js';
import { UsageError } from '../../process/operator-error.js';
import { choice, command, parseDuration, valid } from '../options.js';
import { stopping } from '../stopping.js';
import { readAccess } from './access.js';

const HELP = `
An address is host:port, [IPv6]:port, or the path of a Unix socket. At least one of
--policy, --socketmap, and --line is required. --line answers "unavailable" while a
verdict is unknown; --policy and --socketmap require --on-failure.

A local copy answers even while the service is down. To make the first copy, which may
take minutes, the service must be reachable.

A purpose is any, transactional, or the id or the key of a topic. Mail servers can name
one in a question: Postfix by policy_context, or by the name of a map (access.news).
A topic may be created, archived, or restored while this runs. So an unknown topic does
not prevent the start: it is logged, and verdicts for it are unknown until it exists.

The URL and the API key are those of all commands. The key needs suppressions:check; for
the purpose transactional, also suppressions:check-transactional; with --replica, also
suppressions:read, changes:read, topics:read, and rules:read, and, if the account keeps
blocks of erased addresses, pseudonyms:read.

Examples:
  suppressions mta --policy 127.0.0.1:9998 --on-failure defer
  suppressions mta --socketmap 127.0.0.1:9997 --replica /var/lib/mta --on-failure pass
  suppressions mta --policy /run/mta/policy --purpose news --on-failure defer

docs/mail-servers.md has the configuration of Postfix, Exim, OpenSMTPD, and others.
`;

interface Options {
  policy?: Endpoint;
  socketmap?: Endpoint;
  line?: Endpoint;
  metrics?: Endpoint;
  replica?: string;
  maxAge?: number;
  purpose: MailPurpose;
  purposeByUser?: Map<string, MailPurpose>;
  onFailure?: OnFailure;
  allowPublic?: boolean;
}

export function mtaCommand(): Command {
  const address = (flag: string, description: string): Option =>
    new Option(`${flag} <address>`, description).argParser((text) => valid(parseEndpoint(text)));
  return command('mta', 'Answer mail servers that ask whether a recipient is suppressed')
    .addOption(address('--policy', 'Listen for policy requests of Postfix'))
    .addOption(address('--socketmap', 'Listen for socketmap lookups of Postfix'))
    .addOption(address('--line', 'Listen for lines of Exim and scripts'))
    .addOption(
      choice('--on-failure <choice>', 'What Postfix does while verdicts are unknown', ['defer', 'pass']),
    )
    .addOption(
      new Option('--purpose <purpose>', 'What mail is for, unless a question says so')
        .argParser((text) => valid(parsePurpose(text)))
        .default({ name: 'any', options: {} }, 'any'),
    )
    .option('--purpose-by-user <file>', 'File with a SASL user and a purpose on each line', readUserPurposes)
    .option('--replica <folder>', 'Answer from a local copy in this folder')
    .option('--max-age <duration>', 'The oldest copy that may answer, such as 1h', parseDuration)
    .addOption(address('--metrics', 'Serve Prometheus metrics at /metrics'))
    .option('--allow-public', 'Permit addresses that are not private')
    .addHelpText('after', HELP)
    .action(serve);
}

async function serve(options: Options): Promise<void> {
  await requireSafe(options);
  const access = readAccess();
  const { createLogger } = await import('../../process/logger.js');
  const { MtaMetrics } = await import('../../mta/mta-metrics.js');
  const { Mta } = await import('../../mta/mta.js');
  const { openSource } = await import('../../mta/open-source.js');
  const logger = createLogger('info');
  const metrics = new MtaMetrics();
  const { signal } = stopping;
  const source = await openSource({ ...access, ...options, signal }, metrics, logger).catch(
    (error: unknown) => {
      if (signal.aborted) {
        return null;
      }
      throw error;
    },
  );
  if (!source) {
    logger.info('stopping');
    return;
  }
  const purposes = { default: options.purpose, byUser: options.purposeByUser ?? new Map() };
  const mta = new Mta(source, purposes, options.onFailure ?? 'defer', metrics, logger);
  try {
    await mta.start(options);
    if (!signal.aborted) {
      await once(signal, 'abort');
    }
    logger.info('stopping');
  } finally {
    await mta.stop();
  }
}

/** @throws {UsageError} */
async function requireSafe({ allowPublic, replica, maxAge, onFailure, ...options }: Options): Promise<void> {
  const { policy, socketmap, line, metrics } = options;
  if (!policy && !socketmap && !line) {
    throw new UsageError('Give at least one of --policy, --socketmap, and --line.');
  }
  if ((policy || socketmap) && !onFailure) {
    throw new UsageError('--policy and --socketmap require --on-failure defer or --on-failure pass.');
  }
  if (maxAge !== undefined && !replica) {
    throw new UsageError('--max-age needs --replica.');
  }
  for (const [name, endpoint] of Object.entries({ policy, socketmap, line, metrics })) {
    const isSafe =
      allowPublic ||
      !endpoint ||
      (await isPrivate(endpoint).catch(() => {
        throw new UsageError(`--${name} ${describeEndpoint(endpoint)}: the name cannot be resolved.`);
      }));
    if (!isSafe) {
      throw new UsageError(
        `--${name} ${describeEndpoint(endpoint)} may be reachable by others, who need no password to ask. ` +
          'Use a loopback or private address, or add --allow-public if a firewall protects it.',
      );
    }
  }
}

function readUserPurposes(file: string): Map<string, MailPurpose> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${fileProblem(error)}.`);
  }
  return valid(parseUserPurposes(text), 'In this file,');
}
