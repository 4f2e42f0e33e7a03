import type { Command } from 'commander';
import { readClientEnv } from '../../config/client-env.js';
import { isLoopback } from '../../http/server/network-addresses.js';
import { readSecret } from '../input.js';
import { command, jsonOption, type JsonOption } from '../options.js';
import { print, printFields } from '../output.js';
import { accessFile, KEY_VARIABLE, parseKey, parseUrl, removeAccess, storeAccess } from './access.js';
import { Api, ApiProblem } from './api.js';
import { withCommas } from './text.js';

const HELP = `
The API key is read from standard input, or asked for at a terminal. It is stored in
a file that only you can read.

Examples:
  suppressions login --url https://suppressions.example.com
  suppressions login --url http://localhost:3000 < key.txt
`;

export function loginCommand(): Command {
  return command('login', 'Store the URL of a service and an API key for it')
    .requiredOption('--url <url>', 'URL of the service')
    .addHelpText('after', HELP)
    .action(async (options: { url: string }) => {
      const url = parseUrl(options.url);
      const { protocol, hostname } = new URL(url);
      if (protocol === 'http:' && !isLoopback(hostname)) {
        console.error('Warning: with http, the API key and all addresses travel unencrypted. Use https.');
      }
      const access = { url, key: parseKey(await readSecret('API key')) };
      const { name } = await new Api(access).get<{ name: string }>('/account');
      storeAccess(access);
      await print(`Logged in to ${url} as ${name}. The key is in ${accessFile()}.`);
    });
}

/** The length of the prefix that "key list" shows. */
const PREFIX_LENGTH = 12;

export function whoamiCommand(): Command {
  return command('whoami', 'Show the account and the API key that commands use')
    .addOption(jsonOption())
    .addHelpText('after', examples('whoami', 'whoami --json'))
    .action(async ({ json }: JsonOption) => {
      const shown = await identify(new Api());
      await printFields(json, shown);
    });
}

export function logoutCommand(): Command {
  return command('logout', 'Delete the URL and the API key that "login" stored')
    .addHelpText(
      'after',
      `\nThe key itself stays valid. To revoke it: suppressions key revoke\n${examples('logout')}`,
    )
    .action(async () => {
      await print(removeAccess());
      if (readClientEnv()[KEY_VARIABLE]) {
        console.error(`${KEY_VARIABLE} is still set, and commands use it.`);
      }
    });
}

export function statusCommand(): Command {
  return command('status', 'Show whether the service is ready, and how many addresses are suppressed')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `\nExit code 1 means that the service is not ready.\n${examples('status', 'status --json')}`,
    )
    .action(async ({ json }: JsonOption) => {
      const api = new Api();
      await api.get('/readyz');
      const { url, account } = await identify(api);
      const suppressions = await countSuppressions(api);
      const shown = { url, service: 'ready', account, suppressions };
      const count = suppressions === null ? null : withCommas(suppressions);
      await printFields(json, { ...shown, suppressions: count }, shown);
    });
}

async function identify(api: Api) {
  const { url, key } = api.access;
  const { name } = await api.get<{ name: string }>('/account');
  const key_from = readClientEnv()[KEY_VARIABLE] ? KEY_VARIABLE : accessFile();
  return { url, account: name, api_key: key.slice(0, PREFIX_LENGTH), key_from };
}

/** Null if the API key may not read the list. */
async function countSuppressions(api: Api): Promise<number | null> {
  try {
    return (await api.get<{ total: number }>('/suppressions/summary')).total;
  } catch (problem) {
    if (problem instanceof ApiProblem && problem.isRefusal) {
      return null;
    }
    throw problem;
  }
}

function examples(...lines: string[]): string {
  return ['\nExamples:', ...lines.map((line) => `  suppressions ${line}`), ''].join('\n');
}
