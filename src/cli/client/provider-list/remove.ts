import { Option, type Command } from 'commander';
import { CONSENT_KINDS } from '../../../ledger/evidence.js';
import { confirm, yesOption, type YesOption } from '../../input.js';
import { command, jsonOption, type JsonOption } from '../../options.js';
import { printTable } from '../../output.js';
import { Api } from '../api.js';
import { listPath, nameOf, readList } from './provider-list-text.js';

interface Removal {
  email: string;
  status: string;
  lists: string[];
}

interface RemoveOptions extends JsonOption, YesOption {
  consent: string;
  reference: string;
}

const HELP = `
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
    .addOption(
      new Option('--consent <kind>', 'Evidence that they may be mailed again')
        .choices(CONSENT_KINDS)
        .makeOptionMandatory(),
    )
    .requiredOption('--reference <text>', 'Where the consent is documented')
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (id: string, emails: string[], { consent: kind, reference, yes, json }: RemoveOptions) => {
      const api = new Api();
      const list = await readList(api, id);
      const what = emails.length === 1 ? emails[0] : `${emails.length} addresses`;
      await confirm(`Remove ${what} from ${nameOf(list)}?`, { yes });
      const body = { emails, consent: { kind, reference } };
      const { data } = await api.json<{ data: Removal[] }>('POST', `${listPath(id)}/removals`, {}, body);
      await printTable(json ? data : data.map(toRow), { json });
    });
}

function toRow({ email, status, lists }: Removal): Record<string, unknown> {
  return { ADDRESS: email, STATUS: status, LISTS: lists };
}
