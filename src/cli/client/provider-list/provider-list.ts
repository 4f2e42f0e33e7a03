import type { Command } from 'commander';
import type { ListTestDto } from '../../../provider-lists/dto/list-test.dto.js';
import type { ProviderListDto, PushBacklogDto } from '../../../provider-lists/dto/provider-list.dto.js';
import { OperatorError } from '../../../process/operator-error.js';
import { confirm, yesOption, type YesOption } from '../../input.js';
import { command, jsonOption, type JsonOption } from '../../options.js';
import { print, printAs, printFields, table, terminalColumns } from '../../output.js';
import { Api } from '../api.js';
import { listCommand } from '../reads.js';
import { shortTime, withCommas } from '../text.js';
import { createCommand, setCommand } from './create.js';
import { applyCommand, discardCommand, linesCommand, planCommand } from './plan.js';
import { pushesCommand, removeCommand } from './changes-at-provider.js';
import { listPath, nameOf, summaryOf } from './provider-list-text.js';

/** The service counts no further. */
const MAX_COUNTED = 10_000;

const HELP = `
A provider list is the suppression list that a provider keeps. "plan" compares it with
yours and shows the differences; nothing changes until "apply". The API key needs the
scope provider-lists:write, or provider-lists:read to look.

The credentials are read from standard input, or asked for at a terminal: the value
alone if the provider has one, otherwise a JSON object.

Examples:
  suppressions provider-list create --provider sendgrid --name SendGrid < key.txt
  suppressions provider-list create --provider ses --scope region=eu-west-1 < credentials.json
  suppressions provider-list test 0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90
  suppressions provider-list plan 0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90
  suppressions provider-list apply 0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90 0198a5fb-2d4e-7f3c-9ba1-5c6d7e8f9a0b
`;

export function providerListCommand(): Command {
  return command('provider-list', 'Compare the list with the lists of providers, and settle the differences')
    .addCommand(createCommand())
    .addCommand(listCommand({ path: '/provider-lists', things: 'provider lists', toRow }))
    .addCommand(showCommand())
    .addCommand(setCommand())
    .addCommand(testCommand())
    .addCommand(planCommand())
    .addCommand(linesCommand())
    .addCommand(applyCommand())
    .addCommand(discardCommand())
    .addCommand(pushesCommand())
    .addCommand(removeCommand())
    .addCommand(deleteCommand())
    .addHelpText('after', HELP);
}

function showCommand(): Command {
  return command('show', 'Show a provider list')
    .argument('<list>', 'Id of the provider list')
    .addOption(jsonOption())
    .action(async (id: string, { json }: JsonOption) => {
      const list = await new Api().get<ProviderListDto>(listPath(id));
      await printFields(json, factsOf(list), list);
    });
}

function testCommand(): Command {
  return command('test', 'Show what the credentials permit; change nothing')
    .argument('<list>', 'Id of the provider list')
    .addOption(jsonOption())
    .addHelpText('after', '\nExit code 1 means that a permission is missing.')
    .action(async (id: string, { json }: JsonOption) => {
      const tested = await new Api().post<ListTestDto>(`${listPath(id)}/test`);
      const rows = tested.permissions.map(({ name, allowed, reason }) => ({
        ALLOWED: allowed === null ? 'unknown' : allowed ? 'yes' : 'no',
        PERMISSION: name,
        REASON: reason,
      }));
      await printAs(json, tested, table(rows, terminalColumns()));
      if (!tested.ok) {
        throw new OperatorError(tested.reason ?? 'The credentials do not suffice.');
      }
    });
}

function deleteCommand(): Command {
  return command(
    'delete',
    'Delete a provider list with its credentials and plans; nothing changes at the provider',
  )
    .argument('<list>', 'Id of the provider list')
    .addOption(yesOption())
    .action(async (id: string, options: YesOption) => {
      const api = new Api();
      const list = await api.get<ProviderListDto>(listPath(id));
      await confirm(`Delete the provider list ${nameOf(list)} with its credentials and plans?`, options);
      await api.json('DELETE', listPath(id));
      await print(`Deleted ${id}.`);
    });
}

function toRow(list: ProviderListDto): Record<string, unknown> {
  return {
    ID: list.id,
    NAME: nameOf(list),
    STATUS: list.status,
    'LAST SUCCESS (UTC)': list.last_success_at && shortTime(list.last_success_at),
    DIFFERENCES: list.counts && (summaryOf(list.counts) || 'none'),
  };
}

function factsOf(list: ProviderListDto): Record<string, unknown> {
  const { id, name, provider, scope, shared, interval, status, counts } = list;
  const switches = (['pull', 'push_additions', 'push_removals', 'push_unsubscribes'] as const).filter(
    (key) => list[key],
  );
  return {
    id,
    name,
    provider,
    ...scope,
    status,
    'switched on': switches.length > 0 ? switches.join(', ') : 'nothing: plans are only compared',
    ...(shared && { shared: 'yes' }),
    ...(list.source !== null && { source: list.source }),
    interval,
    'differences in the last plan': counts && (summaryOf(counts) || 'none'),
    'last success (UTC)': list.last_success_at && shortTime(list.last_success_at),
    'last error': list.last_error,
    'not pushed': backlogOf(list.pushes),
    'next plan (UTC)': list.next_plan_at && shortTime(list.next_plan_at),
  };
}

/** `3 waiting, 1 failed`; null if there is nothing to push. */
function backlogOf({ pending, failed, unexamined }: PushBacklogDto): string | null {
  const parts = [
    pending > 0 && `${counted(pending)} waiting`,
    failed > 0 && `${counted(failed)} failed`,
    unexamined > 0 && `${withCommas(unexamined)} not examined yet`,
  ];
  return parts.filter(Boolean).join(', ') || null;
}

function counted(number: number): string {
  return number < MAX_COUNTED ? withCommas(number) : `${withCommas(number)} or more`;
}
