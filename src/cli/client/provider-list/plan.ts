import { setTimeout as delay } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import type { LineDto } from '../../../provider-lists/dto/line.dto.js';
import type { PlanDto } from '../../../provider-lists/dto/plan.dto.js';
import { LINE_KINDS, type LineKind } from '../../../provider-lists/plans/line-kinds.js';
import { OperatorError } from '../../../process/operator-error.js';
import {
  command,
  commandLine,
  jsonOption,
  parseAddress,
  parseLimit,
  type JsonOption,
} from '../../options.js';
import { confirm, yesOption, type YesOption } from '../../input.js';
import { print, printAs } from '../../output.js';
import { stopping, watching } from '../../stopping.js';
import { Api } from '../api.js';
import { POLL_MS, readPages, readWithRetries } from '../reads.js';
import { Progress, withCommas } from '../text.js';
import { lineRows, listPath, planPath, readList, textOf, type KindLines } from './provider-list-text.js';

const SHOWN_LINES = 10;
const DEFAULT_LIMIT = 30;
/** Those that agree are only counted. */
const SHOWN_KINDS = LINE_KINDS.filter((kind) => kind !== 'agreed');

interface LimitOption extends JsonOption {
  limit: number;
}

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
    .option('-n, --limit <count>', 'Maximum number of lines of each kind', parseLimit, SHOWN_LINES)
    .addOption(jsonOption())
    .action(async (list: string, { limit, json }: LimitOption) => {
      const api = new Api();
      const { id } = await api.json<PlanDto>('POST', `${listPath(list)}/plans`);
      const plan = await watch(api, list, id);
      if (plan.status === 'failed') {
        throw new OperatorError(`The plan ${id} failed. ${plan.reason}`);
      }
      await (json
        ? printAs(json, plan, '')
        : print(`${await describe(api, list, plan, limit)}${hintAfter(list, plan)}`));
    });
}

export function linesCommand(): Command {
  return command('lines', 'List the lines of a plan')
    .argument('<list>', 'Id of the provider list')
    .argument('<plan>', 'Id of the plan')
    .addOption(new Option('--kind <kind>', 'Only lines of this kind').choices(LINE_KINDS))
    .option('--email <address>', 'Only lines about this address', parseAddress)
    .option('-n, --limit <count>', 'Maximum number of lines', parseLimit, DEFAULT_LIMIT)
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
    .option('--accept-stop', 'Apply it although the provider has far fewer entries than before')
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(async (list: string, id: string, { acceptStop, yes, json }: ApplyOptions) => {
      const api = new Api();
      const before = await api.json<PlanDto>('GET', planPath(list, id));
      const wasApplied = before.status === 'applied';
      if (!yes && ['ready', 'stopped'].includes(before.status)) {
        console.error(`${await describe(api, list, before, SHOWN_LINES)}\n`);
        await confirm('Apply this plan?', {});
      }
      await api.json('POST', `${planPath(list, id)}/apply`, {}, { accept_stop: acceptStop });
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
  return command('discard', 'Discard a plan; if a job compares or applies it, the job ends')
    .argument('<list>', 'Id of the provider list')
    .argument('<plan>', 'Id of the plan')
    .action(async (list: string, plan: string) => {
      await new Api().json('DELETE', planPath(list, plan));
      await print(`Discarded ${plan}.`);
    });
}

async function describe(api: Api, listId: string, plan: PlanDto, limit: number): Promise<string> {
  const list = await readList(api, listId);
  const sections: KindLines[] = [];
  for (const kind of SHOWN_KINDS.filter((shown) => plan.counts[shown] > 0)) {
    sections.push({ kind, lines: await readLines(api, planPath(listId, plan.id), { kind }, limit) });
  }
  return textOf(list, plan, sections);
}

function readLines(api: Api, path: string, { kind, email }: LinesFilter, limit: number) {
  return readPages<LineDto>(api, `${path}/lines`, {
    query: { kind, email },
    limit,
    cursorOf: ({ cursor }) => cursor,
  });
}

/** Waits until no job works on the plan. */
function watch(api: Api, list: string, id: string): Promise<PlanDto> {
  const hint = `The plan ${id} goes on. To see its lines: ${commandLine('provider-list', 'lines', list, id)}`;
  return watching(hint, async () => {
    const progress = new Progress('apply', 'rows');
    for (;;) {
      const plan = await readWithRetries<PlanDto>(api, planPath(list, id), `The plan ${id}`);
      if (!['comparing', 'applying'].includes(plan.status)) {
        progress.end();
        return plan;
      }
      if (plan.status === 'applying') {
        progress.show(plan.applied + plan.skipped, plan.counts.pull);
      }
      await delay(POLL_MS, undefined, { signal: stopping.signal });
    }
  });
}

function hintAfter(list: string, { id, status }: PlanDto): string {
  const accept = status === 'stopped' ? ['--accept-stop'] : [];
  return `\n\nTo apply it: ${commandLine('provider-list', 'apply', list, id, ...accept)}`;
}
