import type { Command } from 'commander';
import type { LineDto } from '../../../provider-lists/dto/line.dto.js';
import type { PlanDto } from '../../../provider-lists/dto/plan.dto.js';
import type { ProviderListDto } from '../../../provider-lists/dto/provider-list.dto.js';
import { LINE_KINDS, type LineKind } from '../../../provider-lists/plans/line-kinds.js';
import { OperatorError } from '../../../process/operator-error.js';
import {
  choice,
  command,
  commandLine,
  jsonOption,
  limitOption,
  parseAddress,
  type JsonOption,
  type LimitOption,
} from '../../options.js';
import { confirm, yesOption, type YesOption } from '../../input.js';
import { print, printAs } from '../../output.js';
import { Api } from '../api.js';
import { readPages, watchJob } from '../reads.js';
import { withCommas } from '../text.js';
import { lineRows, listPath, planPath, progressOf, textOf, type KindLines } from './provider-list-text.js';

const SHOWN_LINES = 10;
/** Lines that agree are only counted. */
const SHOWN_KINDS = LINE_KINDS.filter((kind) => kind !== 'agreed');

interface LinesFilter {
  kind?: LineKind;
  email?: string;
}

interface ApplyOptions extends JsonOption, YesOption {
  acceptStop?: boolean;
}

export function planCommand(): Command {
  return command('plan', 'Compare the list at the provider with yours, and show the differences')
    .argument('<list>', 'Id of the provider list')
    .addOption(limitOption('lines of each kind', SHOWN_LINES))
    .addOption(jsonOption())
    .action(async (listId: string, { limit, json }: LimitOption) => {
      const api = new Api();
      const list = await api.get<ProviderListDto>(listPath(listId));
      const { id } = await api.post<PlanDto>(`${listPath(listId)}/plans`);
      const plan = await watch(api, list, id);
      if (plan.status === 'failed') {
        throw new OperatorError(`The plan ${id} failed. ${plan.reason}`);
      }
      await (json
        ? printAs(json, plan, '')
        : print(`${await describe(api, list, plan, limit)}${hintAfter(plan, listId)}`));
    });
}

export function linesCommand(): Command {
  return command('lines', 'List the lines of a plan')
    .argument('<list>', 'Id of the provider list')
    .argument('<plan>', 'Id of the plan')
    .addOption(choice('--kind <kind>', 'Only lines of this kind', LINE_KINDS))
    .option('--email <address>', 'Only lines about this address', parseAddress)
    .addOption(limitOption('lines'))
    .addOption(jsonOption())
    .action(async (list: string, plan: string, { limit, json, ...filter }: LimitOption & LinesFilter) => {
      const lines = await readLines(new Api(), planPath(list, plan), filter, limit);
      await printAs(json, lines, lineRows(lines).join('\n') || 'No lines.');
    });
}

export function applyCommand(): Command {
  return command('apply', 'Apply a plan as it was shown')
    .argument('<list>', 'Id of the provider list')
    .argument('<plan>', 'Id of the plan')
    .option('--accept-stop', 'Apply it although the provider no longer has most of its earlier entries')
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(async (listId: string, id: string, { acceptStop, yes, json }: ApplyOptions) => {
      const api = new Api();
      const path = planPath(listId, id);
      const before = await api.get<PlanDto>(path);
      const list = await api.get<ProviderListDto>(listPath(listId));
      const wasApplied = before.status === 'applied';
      if (!yes && ['ready', 'stopped'].includes(before.status)) {
        console.error(`${await describe(api, list, before, SHOWN_LINES)}\n`);
        await confirm('Apply this plan?', {});
      }
      await api.post(`${path}/apply`, { accept_stop: acceptStop });
      const plan = await watch(api, list, id);
      if (plan.status !== 'applied') {
        throw new OperatorError(`The plan is ${plan.status}. ${plan.reason ?? ''}`.trim());
      }
      const skipped =
        plan.skipped > 0 ? `, skipped because they changed meanwhile: ${withCommas(plan.skipped)}` : '';
      const applied = `Applied lines: ${withCommas(plan.applied)}${skipped}`;
      await printAs(
        json,
        plan,
        wasApplied ? `The plan was applied before; nothing was changed. ${applied}` : applied,
      );
    });
}

export function discardCommand(): Command {
  return command('discard', 'Discard a plan, and stop the job that makes or applies it')
    .argument('<list>', 'Id of the provider list')
    .argument('<plan>', 'Id of the plan')
    .action(async (list: string, plan: string) => {
      await new Api().json('DELETE', planPath(list, plan));
      await print(`Discarded ${plan}.`);
    });
}

async function describe(api: Api, list: ProviderListDto, plan: PlanDto, limit: number): Promise<string> {
  const sections: KindLines[] = [];
  for (const kind of SHOWN_KINDS.filter((shown) => plan.counts[shown] > 0)) {
    sections.push({ kind, lines: await readLines(api, planPath(list.id, plan.id), { kind }, limit) });
  }
  return textOf(list, plan, sections);
}

function readLines(api: Api, path: string, { kind, email }: LinesFilter, limit: number) {
  return readPages<LineDto>(api, `${path}/lines`, limit, { kind, email });
}

/** Waits until no job works on the plan. */
function watch(api: Api, list: ProviderListDto, id: string): Promise<PlanDto> {
  return watchJob<PlanDto>(api, {
    path: planPath(list.id, id),
    subject: `The plan ${id}`,
    hint: `To see its lines: ${commandLine('provider-list', 'lines', list.id, id)}`,
    title: 'apply',
    isRunning: ({ status }) => ['comparing', 'applying'].includes(status),
    progressOf: (plan) => (plan.status === 'applying' ? progressOf(list, plan) : undefined),
  });
}

function hintAfter({ id, status }: PlanDto, list: string): string {
  const accept = status === 'stopped' ? ['--accept-stop'] : [];
  return `\n\nTo apply it: ${commandLine('provider-list', 'apply', list, id, ...accept)}`;
}
