import type { Command } from 'commander';
import { isLoopback } from '../../http/server/is-loopback.js';
import { readSecret } from '../input.js';
import { command } from '../options.js';
import { print } from '../output.js';
import { accessFile, parseUrl, storeAccess } from './access.js';
import { Api } from './api.js';

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
      const access = { url, key: await readSecret('API key') };
      const { name } = await new Api(access).json<{ name: string }>('GET', '/account');
      storeAccess(access);
      await print(`Logged in to ${url} as ${name}. The key is in ${accessFile()}.`);
    });
}
