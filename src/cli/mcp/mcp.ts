import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { readAccess } from '../client/access.js';
import { Api } from '../client/api.js';
import { readOwnWords } from '../client/refusal.js';
import { command } from '../options.js';
import { stopping } from '../stopping.js';

const HELP = `
Speaks the Model Context Protocol on standard input and output, so that an assistant can
answer why an address gets no mail. It reads with an API key that has the scope
suppressions:read, and, for topics and provider lists, topics:read and
provider-lists:read. The addresses that the assistant asks about are sent to the company
that runs the assistant's model.

With --allow-writes and a key with the scope suppressions:write, the assistant can also
suppress addresses and remove them from the list: it previews a change, and then applies
exactly what the preview showed. The removal of a complaint or an unsubscribe needs
consent.

Example, in the configuration of an assistant:
  {
    "mcpServers": {
      "suppressions": {
        "command": "suppressions",
        "args": ["mcp"],
        "env": {
          "SUPPRESSIONS_URL": "https://suppressions.example.com",
          "SUPPRESSIONS_API_KEY": "<API_KEY>"
        }
      }
    }
  }
`;

/** @param version - of the package */
export function mcpCommand(version: string): Command {
  return command('mcp', 'Serve the list to an AI assistant as an MCP server on standard input and output')
    .option('--allow-writes', 'Let the assistant change the list')
    .addHelpText('after', HELP)
    .action(async ({ allowWrites = false }: { allowWrites?: boolean }) => {
      const api = new Api(readAccess(), undefined, readOwnWords);
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
      const { createServer } = await import('./server.js');
      const ended = finished(process.stdin, { signal: stopping.signal });
      serveStdio(() => createServer(api, { version, allowWrites }));
      await ended.finally(() => process.stdin.destroy());
    });
}
