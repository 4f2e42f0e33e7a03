import type { Command } from 'commander';
import { runProgram } from '../stopping.js';
import { command } from '../options.js';
import { mcpCommand } from '../mcp/mcp.js';
import { addCommand, removeCommand } from './suppression-changes.js';
import { checkCommand } from './check.js';
import { completionCommand } from './completion.js';
import { exportCommand } from './files/export.js';
import { importCommand, importErrorsCommand } from './files/import.js';
import { scrubCommand } from './files/scrub.js';
import { incidentCommand } from './incident.js';
import { liftCommand } from './lift.js';
import { listCommand } from './list.js';
import { loginCommand, logoutCommand, statusCommand, whoamiCommand } from './session.js';
import { mtaCommand } from './mta.js';
import { personCommand } from './person.js';
import { providerListCommand } from './provider-list/provider-list.js';
import { whyCommand } from './why.js';

/** Commands that work on the database, for the operator of the service. */
const OPERATOR_COMMANDS = {
  account: 'Manage accounts',
  key: 'Manage API keys',
  source: 'Manage sources of delivery events',
  console: 'Manage access to the console',
  secrets: 'Rotate the key that encrypts secrets',
  mail: 'Read raw bounces and feedback reports',
  unsubscribe: 'Manage unsubscribe links and the page for recipients',
  webhook: 'Manage the webhooks of all accounts',
  migrate: 'Migrate the database',
  database: 'Spread the database over several nodes',
};

const HELP = `
Commands for operators use the database at DATABASE_URL. Without it, they use the embedded
database in DATA_DIR, which the service creates when it starts. "mail inspect" needs no
database. All other commands use the URL and the API key that "login" stored, or
SUPPRESSIONS_URL and SUPPRESSIONS_API_KEY.

Examples:
  suppressions login --url https://suppressions.example.com
  suppressions why ada@example.com
  suppressions import suppression_bounces.csv --watch
  suppressions scrub campaign.csv > campaign-clean.csv
  suppressions account create acme --beta
  suppressions key create --account acme --scope suppressions:read

Exit codes:
  0  success
  1  failure
  2  wrong usage, a wrong value, or not logged in
  3  not found
  4  the account already exists, or the key was already rotated
`;

export function isOperatorCommand(name: string | undefined): boolean {
  return name !== undefined && Object.hasOwn(OPERATOR_COMMANDS, name);
}

/**
 * Runs a command that talks to the service over HTTP.
 *
 * @param version - of the package
 */
export function runClient(args: string[], version: string): Promise<void> {
  return runProgram(programFor(version), args);
}

function programFor(version: string): Command {
  const program = command(
    'suppressions',
    'Check, change, import, and export the addresses that must not be mailed.',
  )
    .version(version, '--version', 'Print the version')
    .addHelpText('after', HELP)
    .commandsGroup('Commands:');
  const clients = [
    loginCommand(),
    logoutCommand(),
    whoamiCommand(),
    statusCommand(),
    checkCommand(),
    addCommand(),
    removeCommand(),
    listCommand(),
    whyCommand(),
    importCommand(),
    importErrorsCommand(),
    liftCommand(),
    incidentCommand(),
    providerListCommand(),
    exportCommand(),
    scrubCommand(),
    personCommand(),
    mcpCommand(version),
    mtaCommand(),
    completionCommand(() => program),
  ];
  clients.forEach((client) => program.addCommand(client));
  program.commandsGroup('Commands for operators:');
  for (const [name, description] of Object.entries(OPERATOR_COMMANDS)) {
    program.addCommand(command(name, description));
  }
  return program;
}
