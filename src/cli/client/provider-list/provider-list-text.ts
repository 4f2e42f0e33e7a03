import { printable } from '../../../process/printable.js';
import type { LineDto } from '../../../provider-lists/dto/line.dto.js';
import type { CountsDto, PlanDto } from '../../../provider-lists/dto/plan.dto.js';
import type { ProviderListDto } from '../../../provider-lists/dto/provider-list.dto.js';
import { LINE_KINDS, LINE_REASONS, type LineKind } from '../../../provider-lists/plans/line-kinds.js';
import { commandLine } from '../../options.js';
import { maximum } from '../../output.js';
import { formatDuration, shortTime, withCommas } from '../text.js';

export function listPath(id: string): string {
  return `/provider-lists/${encodeURIComponent(id)}`;
}

export function planPath(list: string, plan: string): string {
  return `${listPath(list)}/plans/${encodeURIComponent(plan)}`;
}

/** `SES in Ireland (ses eu-west-1)` */
export function nameOf({ name, provider, scope }: ProviderListDto): string {
  return `${name} (${[provider, ...Object.values(scope)].join(' ')})`;
}

/** The differences in one line, such as `112 pull, 3 drift`; empty if there are none. */
export function summaryOf(counts: CountsDto): string {
  return LINE_KINDS.filter((kind) => kind !== 'agreed' && counts[kind] > 0)
    .map((kind) => `${withCommas(counts[kind])} ${kind}`)
    .join(', ');
}

const CAUSE_WIDTH = 'unsubscribe'.length;
const TIME_WIDTH = '2026-01-15 09:30'.length;
const LONGEST_PADDED_ADDRESS = 40;

/** Symbols like those of `terraform plan`. */
const SYMBOLS: Readonly<Record<LineKind, string>> = {
  pull: '+',
  push: '+',
  remove: '-',
  drift: '!',
  cannot: 'x',
  agreed: '=',
};
const STRENGTHENED = '~';

const HEADINGS: Readonly<Record<Exclude<LineKind, 'agreed'>, string>> = {
  pull: 'To add here',
  push: 'Only here',
  remove: 'To remove at the provider',
  drift: 'To decide',
  cannot: 'Not possible',
};

export interface KindLines {
  kind: Exclude<LineKind, 'agreed'>;
  /** The first lines of this kind. */
  lines: LineDto[];
}

/** Describes a plan to the person who decides about it. */
export function textOf(list: ProviderListDto, plan: PlanDto, sections: KindLines[]): string {
  const entries = plan.entries === 1 ? '1 entry' : `${withCommas(plan.entries)} entries`;
  const compared = `${entries} at the provider on ${shortTime(plan.created_at)} UTC`;
  const title = `Plan ${plan.id}, ${plan.status}\n${printable(nameOf(list))}, ${compared}`;
  const shown = sections.map((section) => sectionOf(list, plan, section));
  return [title, ...shown, conclusionOf(list, plan)].join('\n\n');
}

/** One row per line, with aligned columns. */
export function lineRows(lines: LineDto[]): string[] {
  const longest = maximum(lines, ({ email }) => email.length);
  const width = Math.min(longest, LONGEST_PADDED_ADDRESS);
  return lines.map(({ kind, email, cause, listed_at, list, reason }) =>
    [
      reason === LINE_REASONS.adds_cause ? STRENGTHENED : SYMBOLS[kind],
      printable(email).padEnd(width),
      (cause ?? '').padEnd(CAUSE_WIDTH),
      (listed_at ? shortTime(listed_at) : '').padEnd(TIME_WIDTH),
      [list, reason].filter(Boolean).join(': '),
    ]
      .join('  ')
      .trimEnd(),
  );
}

function sectionOf(list: ProviderListDto, plan: PlanDto, { kind, lines }: KindLines): string {
  const rest = plan.counts[kind] - lines.length;
  const more = commandLine('provider-list', 'lines', list.id, plan.id, '--kind', kind);
  return [
    `${HEADINGS[kind]} (${kind}): ${withCommas(plan.counts[kind])}${switchedOff(list, kind)}`,
    ...lineRows(lines).map((row) => `  ${row}`),
    ...(rest > 0 ? [`  … and ${withCommas(rest)} more: ${more}`] : []),
  ].join('\n');
}

function switchedOff(list: ProviderListDto, kind: LineKind): string {
  const needed = ({ push: 'push_additions', remove: 'push_removals' } as const)[kind as 'push' | 'remove'];
  return needed && !list[needed] ? `, not applied because ${needed} is off` : '';
}

/** The lines that applying a plan changes at the provider. */
function pushesOf({ push_additions, push_removals }: ProviderListDto, { counts }: PlanDto) {
  return { push: push_additions ? counts.push : 0, remove: push_removals ? counts.remove : 0 };
}

/** How many lines of a plan that is being applied are done, and how many there are. */
export function progressOf(list: ProviderListDto, plan: PlanDto): [done: number, total: number] {
  const { applied, skipped, capped, counts } = plan;
  const { push, remove } = pushesOf(list, plan);
  return [applied + skipped, counts.pull + push + Math.max(0, remove - capped)];
}

function conclusionOf(list: ProviderListDto, plan: PlanDto): string {
  const { counts, capped, seconds, reason, status } = plan;
  const { push, remove } = pushesOf(list, plan);
  const numbers = [
    `${withCommas(counts.pull)} to add here`,
    `${withCommas(push)} to add and ${withCommas(remove)} to remove at the provider`,
    `${withCommas(counts.drift)} to decide`,
    `${withCommas(counts.cannot)} not possible`,
    `${withCommas(counts.agreed)} agreed`,
  ];
  const isOpen = status === 'ready' || status === 'stopped';
  return [
    `Plan: ${numbers.join(', ')}.`,
    ...(capped > 0
      ? [`${withCommas(capped)} removals are beyond the cap of a run; the next plan has them again.`]
      : []),
    ...(isOpen && seconds > 0 ? [`Applying it takes about ${formatDuration(seconds)}.`] : []),
    ...(reason === null ? [] : [reason]),
  ].join('\n');
}
