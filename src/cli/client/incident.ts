import { Argument, type Command } from 'commander';
import {
  INCIDENT_DECISION_MEANINGS,
  INCIDENT_DECISIONS,
  type IncidentDecision,
} from '../../incidents/incident-states.js';
import type { IncidentDto } from '../../incidents/incident.dto.js';
import { domainsOfGroup } from '../../email-address/receiving-group.js';
import { HELD_BEFORE_MS } from '../../incidents/detect.js';
import { longestPhrase } from '../../ledger/fingerprint.js';
import { command, commandLine, jsonOption, type JsonOption } from '../options.js';
import { confirm, yesOption, type YesOption } from '../input.js';
import { printFields } from '../output.js';
import { Api } from './api.js';
import { listCommand } from './reads.js';
import { shortTime, withCommas } from './text.js';

const HELP = `
An incident is a wave of bounces that looks like the fault of a receiving provider. "decide"
says what becomes of the bounces that it holds, and needs the scope suppressions:lift.

Examples:
  suppressions incident list
  suppressions incident decide 0198a5f7-1b2c-7d3e-8f4a-5b6c7d8e9f0a lift
`;

export function incidentCommand(): Command {
  return command(
    'incident',
    'Show waves of bounces that look like the fault of a provider, and decide what becomes of them',
  )
    .addHelpText('after', HELP)
    .addCommand(listCommand({ path: '/incidents', things: 'incidents', toRow: toListRow }))
    .addCommand(command('show', 'Show an incident').argument('<id>').addOption(jsonOption()).action(show))
    .addCommand(
      command('decide', 'Decide what becomes of the bounces that an incident holds')
        .argument('<id>')
        .addArgument(new Argument('<decision>', decisions()).choices(INCIDENT_DECISIONS))
        .addOption(yesOption())
        .addOption(jsonOption())
        .action(decide),
    );
}

function decisions(): string {
  return INCIDENT_DECISIONS.map((decision) => `${decision} (${INCIDENT_DECISION_MEANINGS[decision]})`).join(
    ' or ',
  );
}

async function show(id: string, { json }: JsonOption): Promise<void> {
  const incident = await new Api().get<IncidentDto>(pathOf(id));
  await printFields(json, toRow(incident), incident);
}

async function decide(
  id: string,
  decision: IncidentDecision,
  { yes, json }: JsonOption & YesOption,
): Promise<void> {
  const api = new Api();
  const { held, status } = await api.get<IncidentDto>(pathOf(id));
  if (status !== 'decided' && (decision === 'keep' || held > 0)) {
    const verb = decision === 'lift' ? 'Lift' : 'Keep';
    const warning = decision === 'lift' && status === 'open' ? ' The incident is still open.' : '';
    await confirm(`${verb} the held bounces (${withCommas(held)})?${warning}`, { yes });
  }
  const decided = await api.post<IncidentDto>(`${pathOf(id)}/decide`, { decision });
  await printFields(json, toRow(decided), decided);
}

function pathOf(id: string): string {
  return `/incidents/${encodeURIComponent(id)}`;
}

function toListRow(incident: IncidentDto): Record<string, unknown> {
  return {
    ID: incident.id,
    'OPENED (UTC)': shortTime(incident.opened_at),
    STATUS: incident.status,
    ADDRESSES: withCommas(incident.addresses),
    HELD: withCommas(incident.held),
    BOUNCES: incident.diagnostic ?? incident.group,
  };
}

function toRow(incident: IncidentDto): Record<string, unknown> {
  const { id, status, decision, diagnostic, group, addresses, held, delivered_before, opened_at, closed_at } =
    incident;
  return {
    id,
    status: decision ? `${status}: ${decision}` : status,
    ...(diagnostic === null ? { group } : { answer: diagnostic }),
    addresses: withCommas(addresses),
    'delivered before': withCommas(delivered_before),
    held: withCommas(held),
    opened: shortTime(opened_at),
    closed: closed_at && shortTime(closed_at),
    ...(held < addresses && { 'find the others': liftOf(incident) }),
  };
}

/** The command that counts the bounces of an incident, which are not held. */
function liftOf({ diagnostic, group, opened_at, closed_at }: IncidentDto): string {
  const after = new Date(Date.parse(opened_at) - HELD_BEFORE_MS).toISOString();
  return commandLine(
    'lift',
    'create',
    '--cause',
    'bounce',
    '--created-after',
    after,
    ...(closed_at ? ['--created-before', closed_at] : []),
    ...(diagnostic === null
      ? ['--domain', ...domainsOfGroup(group!)]
      : ['--diagnostic', longestPhrase(diagnostic)]),
  );
}
