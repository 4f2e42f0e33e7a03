import type { Command } from 'commander';
import { CONSENT_KINDS } from '../../ledger/evidence.js';
import type { LiftLineDto } from '../../lifts/dto/lift-line.dto.js';
import type { LiftDto } from '../../lifts/dto/lift.dto.js';
import { LIFTED_CAUSES, LINE_STATUSES } from '../../lifts/lift.js';
import { OperatorError } from '../../process/operator-error.js';
import { confirm, yesOption, type YesOption } from '../input.js';
import {
  choice,
  requiredChoice,
  command,
  commandLine,
  jsonOption,
  limitOption,
  type JsonOption,
  type LimitOption,
} from '../options.js';
import { printAs } from '../output.js';
import { Api, toFields } from './api.js';
import { consentOf, type ConsentOptions } from './consent.js';
import { conditionsOf, liftPath, previewOf, toLineRow, watchLift } from './lift-preview.js';
import { listCommand, printPages } from './reads.js';
import { shortTime, withCommas } from './text.js';

const HELP = `
"create" finds suppressions by how their bounce or manual entry was recorded, and counts
them. Nothing changes until "apply", which removes that cause from all of them. "revert"
puts back what is still absent. Complaints and unsubscribes are never lifted. The API key
needs the scopes suppressions:lift and suppressions:read.

Examples:
  suppressions lift create --cause bounce --created-after 2026-01-15T06:00:00Z --diagnostic "does not exist"
  suppressions lift create --cause manual --actor 0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f
  suppressions lift lines 0198a5f4-3d4e-7f50-8b6c-7d8e9f0a1b2c --limit 200
  suppressions lift apply 0198a5f4-3d4e-7f50-8b6c-7d8e9f0a1b2c
  suppressions lift revert 0198a5f4-3d4e-7f50-8b6c-7d8e9f0a1b2c
`;

interface CreateOptions extends JsonOption {
  cause: string;
  domain?: string[];
}

type ApplyOptions = JsonOption & YesOption & ConsentOptions;

export function liftCommand(): Command {
  return command('lift', 'Undo a mistake that suppressed many addresses')
    .addHelpText('after', HELP)
    .addCommand(createCommand())
    .addCommand(listCommand({ path: '/lifts', things: 'lifts', toRow }))
    .addCommand(showCommand())
    .addCommand(linesCommand())
    .addCommand(applyCommand())
    .addCommand(revertCommand());
}

function createCommand(): Command {
  return command('create', 'Count what a lift would remove, and show it')
    .addOption(requiredChoice('--cause <cause>', 'The cause to lift', LIFTED_CAUSES))
    .option('--created-after <time>', 'Only causes recorded after this time, such as 2026-01-15T06:00:00Z')
    .option('--created-before <time>', 'Only causes recorded before this time')
    .option('--domain <domain...>', 'Only addresses at these domains')
    .option('--source <id>', 'Only causes that this source reported')
    .option('--actor <id>', 'Only causes that this API key, person, import, or source recorded')
    .option('--diagnostic <text>', 'Only causes with this text in what the server said, or in the note')
    .addOption(jsonOption())
    .action(async ({ json, cause, ...conditions }: CreateOptions, self: Command) => {
      if (Object.keys(conditions).length === 0) {
        self.error(
          'error: give at least one condition besides --cause: --created-after, --created-before, --domain, --source, ' +
            '--actor, or --diagnostic',
        );
      }
      const { domain: domains, ...rest } = conditions;
      const query = { ...toFields(rest), cause, domains };
      const api = new Api();
      const { id } = await api.post<LiftDto>('/lifts', query);
      const lift = await watchLift(api, id);
      await printAs(json, lift, `${previewOf(lift)}${hintAfter(lift)}`);
    });
}

function showCommand(): Command {
  return command('show', 'Show a lift')
    .argument('<id>')
    .addOption(jsonOption())
    .action(async (id: string, { json }: JsonOption) => {
      const lift = await new Api().get<LiftDto>(liftPath(id));
      await printAs(json, lift, previewOf(lift));
    });
}

function linesCommand(): Command {
  return command('lines', 'List the addresses of a lift')
    .argument('<id>')
    .addOption(limitOption('addresses'))
    .addOption(choice('--status <status>', 'Only lines with this status', LINE_STATUSES))
    .addOption(jsonOption())
    .action((id: string, options: LimitOption) =>
      printPages<LiftLineDto>({ path: `${liftPath(id)}/lines`, things: 'lines', toRow: toLineRow }, options),
    );
}

function applyCommand(): Command {
  return command('apply', 'Lift what was counted')
    .argument('<id>')
    .addOption(
      choice('--consent <kind>', 'Evidence for the lift, if the account guards removals', CONSENT_KINDS),
    )
    .option('--reference <text>', 'Where the consent is documented')
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(async (id: string, options: ApplyOptions, self: Command) => {
      const { yes, json } = options;
      const consent = consentOf(self, options);
      const api = new Api();
      const lift = await api.get<LiftDto>(liftPath(id));
      const left = lift.count - lift.applied - lift.skipped;
      // An application that stopped before its end goes on.
      const isStopped = lift.status === 'applied' && left > 0;
      if (isStopped && lift.revertible_until === null) {
        throw new OperatorError(
          'This lift stopped before its end, and its lines are deleted; nothing was changed. To lift the other addresses, ' +
            'create another lift.',
        );
      }
      if (!yes && (lift.status === 'ready' || isStopped)) {
        console.error(`${previewOf(lift)}\n`);
        await confirm(`Lift the ${lift.cause} of ${addresses(left)}, so that they may be mailed again?`, {});
      }
      await api.post(`${liftPath(id)}/apply`, { confirm: lift.count, consent });
      const applied = await watchLift(api, id);
      if (applied.status !== 'applied') {
        throw new OperatorError(
          'This lift was put back before; nothing was changed. To lift the addresses again, create another lift.',
        );
      }
      const skipped = applied.skipped > 0 ? `, skipped: ${withCommas(applied.skipped)}` : '';
      await printAs(
        json,
        applied,
        `Lifted: ${withCommas(applied.applied)}${skipped}${problemOf(applied)}\nTo put them back: ${commandLine('lift', 'revert', id)}`,
      );
    });
}

function revertCommand(): Command {
  return command('revert', 'Put back what a lift removed')
    .argument('<id>')
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(async (id: string, { yes, json }: ApplyOptions) => {
      const api = new Api();
      const { applied, revertible_until } = await api.get<LiftDto>(liftPath(id));
      if (revertible_until !== null) {
        await confirm(`Suppress ${addresses(applied)} again?`, { yes });
      }
      await api.post(`${liftPath(id)}/revert`);
      const lift = await watchLift(api, id);
      const left = lift.applied - lift.reverted;
      const rest = left > 0 ? `, left as they are: ${withCommas(left)}` : '';
      await printAs(json, lift, `Put back: ${withCommas(lift.reverted)}${rest}${problemOf(lift)}`);
    });
}

function hintAfter({ id, status, count }: LiftDto): string {
  return status === 'ready' && count > 0 ? `\n\nTo lift them: ${commandLine('lift', 'apply', id)}` : '';
}

function problemOf({ error }: LiftDto): string {
  return error ? `\n${error.message}` : '';
}

function addresses(count: number): string {
  return count === 1 ? '1 address' : `${withCommas(count)} addresses`;
}

function toRow(lift: LiftDto): Record<string, unknown> {
  const { id, status, count, created_at } = lift;
  return {
    ID: id,
    'CREATED (UTC)': shortTime(created_at),
    STATUS: status,
    FOUND: withCommas(count),
    QUERY: conditionsOf(lift),
  };
}
