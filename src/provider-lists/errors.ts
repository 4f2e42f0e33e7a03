import { apiError, withAdvice } from '../http/errors/api-error.js';
import { MAX_CONFIRMED } from './push/push-conditions.js';

/**
 * The account has no provider list with this id.
 *
 * `GET /provider-lists` lists them.
 */
export class ProviderListNotFoundError extends apiError(
  404,
  'provider_list_not_found',
  'No provider list has this id.',
) {}

/**
 * The provider list has no plan with this id, or the plan was discarded, or it is older than 90 days.
 *
 * `POST /provider-lists/:provider_list/plans` makes a new one.
 */
export class PlanNotFoundError extends apiError(
  404,
  'provider_list_plan_not_found',
  'This provider list has no plan with this id.',
) {}

/**
 * Another provider list, perhaps of another account of this service, is the same list at the provider.
 *
 * Nothing was changed. Use the other provider list, or set `shared` to true for both. If the scope does not identify the list at
 * the provider, the credentials do.
 */
export class ScopeTakenError extends apiError(
  409,
  'provider_list_scope_taken',
  'Another provider list has this scope at the provider. To have the same scope, both must have "shared": true.',
) {}

/**
 * The account has 50 provider lists already.
 *
 * Nothing was created.
 */
export class TooManyProviderListsError extends apiError(
  409,
  'too_many_provider_lists',
  (limit: number) => `The account has ${limit} provider lists, the maximum. Delete one.`,
  { example: [50] },
) {}

/**
 * A job still compares or applies another plan of the provider list.
 *
 * Nothing was changed. Wait until that plan has ended, or discard it with
 * `DELETE /provider-lists/:provider_list/plans/:provider_list_plan`.
 */
export class PlanInProgressError extends apiError(
  409,
  'provider_list_plan_in_progress',
  'Another plan of this provider list is being compared or applied. Wait until it has ended, or discard it.',
) {}

/**
 * Only a ready plan can be applied. A plan expires after 24 hours, and when a later one is made.
 *
 * Nothing was changed. If the plan has expired or failed, make a new one with `POST /provider-lists/:provider_list/plans`.
 */
export class PlanStatusError extends apiError(
  409,
  'provider_list_plan_status',
  (status: string) =>
    status === 'expired'
      ? 'The plan has expired: it is older than 24 hours, a later one was made, or the credentials that read it were replaced. ' +
        'Create another plan.'
      : `The plan is ${status}, so it cannot be applied.`,
  { example: ['expired'] },
) {}

/**
 * The provider no longer has any entries, or at most a tenth of those that it had when a plan was last applied; or the credentials
 * were replaced, and it has other entries instead. The credentials or the scope may be those of another list.
 *
 * Nothing was changed. Read the `reason` of the plan, and compare `entries` with what you expect. To apply the plan anyway, send
 * `{"accept_stop": true}`.
 */
export class PlanStoppedError extends apiError(409, 'provider_list_plan_stopped', () =>
  withAdvice(
    'The plan stopped, because the provider no longer has most of its earlier entries.',
    'accept_stop',
    'To apply it anyway, send {"accept_stop": true}.',
  ),
) {}

/**
 * The credentials of a provider list were encrypted with another `SECRETS_KEY`, or `SECRETS_KEY` is not set.
 *
 * The operator restores that key, or you replace the credentials with `PATCH /provider-lists/:provider_list`.
 */
export class UnreadableCredentialsError extends apiError(
  503,
  'provider_list_credentials_unreadable',
  'The credentials cannot be read: the operator must restore the SECRETS_KEY that encrypted them. If it is lost, replace them.',
) {}

/**
 * The provider list is shared, so it can only pull.
 *
 * Nothing was changed. Remove the entries at the provider, or set `shared` to false.
 */
export class SharedListError extends apiError(
  409,
  'provider_list_shared',
  'This provider list is shared, so it can only pull. Remove the entries at the provider.',
) {}

/**
 * The provider has no way to remove entries, or a removal costs reputation there.
 *
 * Nothing was changed.
 */
export class RemovalsImpossibleError extends apiError(
  409,
  'provider_list_removals_impossible',
  'Entries of this provider cannot be removed by this service. Remove them at the provider.',
) {}

/**
 * At most 200 removals from a provider list can be confirmed in 24 hours. An address counts once, and no longer counts after it
 * was suppressed here again.
 *
 * Nothing was changed. Send fewer addresses, or send them at the time that the message names.
 */
export class TooManyRemovalsError extends apiError(
  409,
  'too_many_provider_list_removals',
  (at: Date) =>
    `At most ${MAX_CONFIRMED} removals from this provider list can be confirmed in 24 hours. Repeat the request after ${at.toISOString()}.`,
  { example: [new Date('2026-01-15T09:30:00.000Z')] },
) {}
