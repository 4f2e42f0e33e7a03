import {
  NEITHER_NULL_NOR_PERIODS,
  NEITHER_NULL_NOR_RETENTION,
  PERIODS,
  RETENTION_PERIOD,
} from '../../accounts/periods.js';
import { ApiKeyRotatedError } from '../../api-keys/errors.js';
import { apiKeyName } from '../../audit/actor.js';
import { MAILGUN_PROBLEM } from '../../exports/formats.js';
import { ApiError } from '../../http/errors/api-error.js';
import type { FieldError } from '../../http/errors/error-body.js';
import { EMPTY_RANGE } from '../../http/require-range.js';
import { DOMAINS_PROBLEM } from '../../lifts/dto/lift-requests.dto.js';
import { PLUS_HINT } from '../../validation/parsers.js';
import { labelOfField } from './words.js';

/** Replacements for error messages that are about the API, keyed by error code. */
const SENTENCES: Readonly<Record<string, string>> = {
  removal_not_allowed:
    'Nothing was lifted: this account guards removals. Open the page again to see who may lift it.',
  opt_in_not_allowed:
    'Nothing was changed: this account guards removals. After an opt-out, only an admin opts a recipient in again, with ' +
    'a record of the recipient’s consent.',
  erasure_ends_suppression:
    'Nothing was erased: the address must not be mailed, and after the erasure nothing would block it. To erase it nevertheless, ' +
    'tick “I know that without the block, the address may be mailed again”.',
  internal_server_error:
    'Something went wrong on our side. Tell the operator of this service the id of the request.',
  payload_too_large:
    'Nothing was changed, because this is too large: a form may have 1 MiB, and a file 1 GiB. To suppress many addresses, import ' +
    'a file.',
  rate_limit_exceeded: 'This account has reached its rate limit. Reload this page in a moment.',
  topic_not_found: 'This topic does not exist, or is archived: see “Archived topics” under Topics.',
  topic_key_taken: 'Nothing was created: another topic has this key. Enter another one, or leave it empty.',
  topic_archived:
    'Nothing was created: an archived topic has this key. Restore it under “Archived topics”, or enter another key.',
  webhook_disabled: 'The webhook is disabled. Enable it first.',
};

/** Advice about each parameter of the API that an error may name, except `file`. */
const ADVICE: Readonly<Record<string, string>> = {
  accept_stop: 'To apply it anyway, accept the stop.',
  confirm: 'Look at the numbers again.',
  consent: 'Say below where the mistake is documented.',
  format: 'Choose the format, or name the columns, under "More options".',
  mapping: 'Name the columns under "More options".',
  topic: 'Choose the topic under "More options".',
};

/** Replacements for problems that are about JSON. */
const PROBLEMS: Readonly<Record<string, string>> = {
  [NEITHER_NULL_NOR_PERIODS]: `must be ${PERIODS}`,
  [DOMAINS_PROBLEM]: 'must have at most 100 domains',
  [MAILGUN_PROBLEM]: 'must be bounce, complaint, or unsubscribe in an export for Mailgun',
  [EMPTY_RANGE]: 'must be later than “From (UTC)”',
  [NEITHER_NULL_NOR_RETENTION]: `must be ${RETENTION_PERIOD}`,
};

const VALUES_OF_API = /^must be one of [^ ,]+(?:, [^ ,]+)*$/;

/** Replacements for problems with fields that people do not fill in, keyed by field. */
const WHOLE_PROBLEMS: Readonly<Record<string, string>> = {
  after: 'There is no such page: go back to the first one',
  before: 'There is no such page: go back to the first one',
  events: 'Choose at least one event',
};

/** The labels of the settings of an account, by their names in the API. */
export const SETTING_LABELS = {
  removal: 'Lifting suppressions',
  complaint_reach: 'A complaint stops',
  bounce_expiry: 'Bounces expire after',
  inbox_retention: 'Events without effect are kept for',
  incident_guard: 'In an incident',
  incident_min_addresses: 'Minimum addresses for an incident',
  incident_min_share: 'Minimum bounce rate for an incident',
};

/** The labels of form fields, by the names of the fields in the API. */
const LABELS: Readonly<Record<string, string>> = {
  ...SETTING_LABELS,
  action: 'What',
  actor: 'Who',
  consent: 'Where this is documented',
  created_after: 'From (UTC)',
  created_before: 'Before (UTC)',
  diagnostic: 'Server response or note',
  default_cause: 'Cause for rows without one',
  default_subscription: 'Who gets it',
  dry_run: 'What to do',
  email: 'Address',
  emails: 'Addresses',
  expires_at: 'Ends at the start of (UTC)',
  mapping: 'Columns',
  pattern: 'Matches',
  since: 'Send the changes of the list again since',
  visibility: 'Who sees it',
};

/** Says why the service refused a form, in the words of the form. */
export function inWordsOfForm(error: Error): string {
  if (error instanceof ApiKeyRotatedError) {
    const [key, successor] = [error.id, error.successorId].map((id) => apiKeyName(error.keyName, id));
    return `The key ${key} was already rotated. If nobody has the secret of its successor ${successor}, rotate the successor.`;
  }
  if (!(error instanceof ApiError)) {
    return error.message;
  }
  const { code, message, parameter, problem, errors } = error;
  if (errors) {
    return `${errors.map(problemOf).join('. ')}.`;
  }
  return parameter === undefined
    ? (SENTENCES[code] ?? message)
    : [problem, ADVICE[parameter]].filter(Boolean).join(' ');
}

function problemOf({ path, message }: FieldError): string {
  return WHOLE_PROBLEMS[path] ?? `${labelOf(path)} ${PROBLEMS[message] ?? inWordsOfPage(message)}`;
}

/** The options of a page have other names than the values of the API, and nobody types its URLs. */
function inWordsOfPage(problem: string): string {
  return problem.replace(VALUES_OF_API, 'must be one of the options').replace(PLUS_HINT, '');
}

/** `“Time zone”`, or `Number 2 of “Addresses”`. A field without a label, even a nested one, is called by its name. */
function labelOf(path: string): string {
  const [field = path, index] = path.split(/\[(\d+)\]$/);
  const label = `“${LABELS[field] ?? labelOfField(field.split('.').at(-1)!)}”`;
  return index === undefined ? label : `Number ${Number(index) + 1} of ${label}`;
}
