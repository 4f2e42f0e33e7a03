import type { Command } from 'commander';
import { CONSENT_KINDS } from '../../../ledger/evidence.js';
import type { ProviderListDto } from '../../../provider-lists/dto/provider-list.dto.js';
import type { ListRemovalDto, PushDto } from '../../../provider-lists/dto/push.dto.js';
import { confirm, yesOption, type YesOption } from '../../input.js';
import {
  choice,
  command,
  jsonOption,
  limitOption,
  parseAddress,
  requiredChoice,
  type JsonOption,
  type LimitOption,
} from '../../options.js';
import { printTable } from '../../output.js';
import { Api } from '../api.js';
import { readPages } from '../reads.js';
import { shortTime } from '../text.js';
import { listPath, nameOf } from './provider-list-text.js';

const PUSH_STATUSES = ['pending', 'failed'];

interface PushesOptions extends LimitOption {
  status?: string;
  email?: string;
}

export function pushesCommand(): Command {
  return command('pushes', 'List what the provider has not accepted yet, and why')
    .argument('<list>', 'Id of the provider list')
    .addOption(choice('--status <status>', 'Only changes with this status', PUSH_STATUSES))
    .option('--email <address>', 'Only changes of this address', parseAddress)
    .addOption(limitOption('changes'))
    .addOption(jsonOption())
    .action(async (id: string, { limit, json, ...filter }: PushesOptions) => {
      const pushes = await readPages<PushDto>(new Api(), `${listPath(id)}/pushes`, limit, { ...filter });
      const isFiltered = Object.keys(filter).length > 0;
      const empty = isFiltered ? 'No changes match.' : 'Nothing waits, and nothing has failed.';
      await printTable(pushes, { json, toRow, empty });
    });
}

function toRow(push: PushDto): Record<string, unknown> {
  return {
    ADDRESS: push.email,
    ACTION: push.action,
    LIST: push.list,
    STATUS: push.status,
    'NEXT ATTEMPT (UTC)': shortTime(push.next_attempt_at),
    ERROR: push.error,
  };
}

interface RemoveOptions extends JsonOption, YesOption {
  consent: string;
  reference: string;
}

const REMOVE_HELP = `
A plan never removes complaints, unsubscribes, and manual entries of the provider: a person
confirms each address. In an account that guards removals, the API key needs the scope
suppressions:lift, too. Lift the addresses here first.

Examples:
  suppressions provider-list remove 0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90 ada@example.com \\
    --consent recipient_request --reference "Case 4711"
`;

export function removeCommand(): Command {
  return command('remove', 'Remove addresses at the provider, whatever it listed them for')
    .argument('<list>', 'Id of the provider list')
    .argument('<address...>')
    .addOption(requiredChoice('--consent <kind>', 'Evidence that they may be mailed again', CONSENT_KINDS))
    .requiredOption('--reference <text>', 'Where the consent is documented')
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText('after', REMOVE_HELP)
    .action(async (id: string, emails: string[], { consent: kind, reference, yes, json }: RemoveOptions) => {
      const api = new Api();
      const list = await api.get<ProviderListDto>(listPath(id));
      const what = emails.length === 1 ? emails[0] : `${emails.length} addresses`;
      await confirm(`Remove ${what} from ${nameOf(list)}?`, { yes });
      const body = { emails, consent: { kind, reference } };
      const { data } = await api.post<{ data: ListRemovalDto[] }>(`${listPath(id)}/removals`, body);
      await printTable(data, { json, toRow: toRemovalRow });
    });
}

function toRemovalRow({ email, status, lists }: ListRemovalDto): Record<string, unknown> {
  return { ADDRESS: email, STATUS: status, LISTS: lists };
}
