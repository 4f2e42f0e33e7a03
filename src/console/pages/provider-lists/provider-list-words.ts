import type { LineKind } from '../../../provider-lists/plans/line-kinds.js';
import type {
  PlanStatus,
  ProviderListPlan,
} from '../../../provider-lists/plans/provider-list-plan.entity.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import type { ListProviderName } from '../../../provider-lists/providers/providers.js';

const DAY_HOURS = 24;

export const PROVIDER_NAMES: Readonly<Record<ListProviderName, string>> = {
  ses: 'Amazon SES',
  sendgrid: 'SendGrid',
  mailgun: 'Mailgun',
  postmark: 'Postmark',
  resend: 'Resend',
  brevo: 'Brevo',
  sparkpost: 'SparkPost',
  mailjet: 'Mailjet',
  mandrill: 'Mandrill',
};

/** By the name of the field. */
export const SWITCH_NAMES = {
  pull: 'Add here what only the provider has',
  push_additions: 'Add at the provider what is only here',
  push_removals: 'Remove at the provider what was lifted here, if no person must confirm it',
  push_unsubscribes: 'Also add unsubscribes, if the scope sends only marketing mail',
  shared: 'Other provider lists may have the same scope; then this one can only add here',
} as const;

export const KIND_NAMES: Readonly<Record<LineKind, string>> = {
  pull: 'Only at the provider',
  push: 'Only here',
  remove: 'Lifted here, still at the provider',
  drift: 'To decide',
  cannot: 'Not possible',
  agreed: 'On both sides',
};

export const STATUS_NAMES: Readonly<Record<PlanStatus, string>> = {
  comparing: 'comparing',
  ready: 'not applied yet',
  applying: 'applying',
  applied: 'applied',
  stopped: 'stopped',
  failed: 'failed',
  expired: 'expired',
};

const TONES: Readonly<Partial<Record<PlanStatus, string>>> = {
  comparing: 'warn',
  ready: 'warn',
  applying: 'warn',
  applied: 'good',
  stopped: 'bad',
  failed: 'bad',
};

export function toneOf(status: PlanStatus): string {
  return TONES[status] ?? 'plain';
}

/** Whether a job works on the plan. */
export function isUnderWay(plan: ProviderListPlan | undefined): boolean {
  return plan !== undefined && ['comparing', 'applying'].includes(plan.status);
}

/** `Amazon SES, eu-west-1` */
export function placeOf({ provider, scope }: ProviderList): string {
  return [PROVIDER_NAMES[provider], ...Object.values(scope)].join(', ');
}

/** `every 6 hours` */
export function intervalOf({ intervalHours }: ProviderList): string {
  const isDays = intervalHours % DAY_HOURS === 0;
  const [count, unit] = isDays ? [intervalHours / DAY_HOURS, 'day'] : [intervalHours, 'hour'];
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}

/** What is switched on, by the names of the fields. */
export function switchesIn(list: ProviderList): (keyof typeof SWITCH_NAMES)[] {
  const { pull, pushAdditions, pushRemovals, pushUnsubscribes, shared } = list;
  const switches = {
    pull,
    push_additions: pushAdditions,
    push_removals: pushRemovals,
    push_unsubscribes: pushUnsubscribes,
    shared,
  };
  return (Object.keys(switches) as (keyof typeof switches)[]).filter((name) => switches[name]);
}
