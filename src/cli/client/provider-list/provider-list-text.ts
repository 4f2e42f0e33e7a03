import type { CountsDto } from '../../../provider-lists/dto/counts.dto.js';
import type { ProviderListDto } from '../../../provider-lists/dto/provider-list.dto.js';
import { LINE_KINDS } from '../../../provider-lists/plans/line-kinds.js';
import type { Api } from '../api.js';
import { withCommas } from '../text.js';

export function readList(api: Api, id: string): Promise<ProviderListDto> {
  return api.json('GET', listPath(id));
}

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
