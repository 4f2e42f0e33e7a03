import type { JSX } from 'preact';
import type { Account } from '../../../accounts/account.entity.js';
import { formatBounceExpiry } from '../../../accounts/bounce-expiry.js';
import { formatInboxRetention } from '../../../accounts/inbox-retention.js';
import { keptFields, textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { includesRole } from '../../people/roles.js';

const REMOVALS = [
  { value: 'open', label: 'Open' },
  { value: 'guarded', label: 'Guarded' },
];
const REMOVAL_HINT =
  'Open: every editor may lift any cause. Guarded: lifting a bounce requires a note. Lifting a complaint or an unsubscribe, or opting a recipient in again, requires the recipient’s consent, and an admin or an API key with suppressions:lift.';
const REACHES = [
  { value: 'all', label: 'All email' },
  { value: 'marketing', label: 'All email except transactional' },
];

const GUARDS = [
  { value: 'off', label: 'Do not look for incidents' },
  { value: 'alert', label: 'Alert' },
  { value: 'hold', label: 'Hold' },
];
const GUARD_HINT =
  'An incident is a wave of bounces that looks like the fault of a provider. Alert: show it. Hold: also suppress its addresses for a day only, instead of permanently.';

const LABELS = {
  removal: 'Lifting suppressions',
  reach: 'A complaint stops',
  retention: 'Events without effect are kept for',
  guard: 'In an incident',
  minAddresses: 'Addresses of an incident',
  minShare: 'Share of an incident',
};

interface SettingsPageProps extends PageProps {
  account: Account;
  entered?: Fields;
}

export function SettingsPage({ account, ...props }: SettingsPageProps): JSX.Element {
  const { entered = keptFields(props.visitor, '/console/settings') } = props;
  const terms = formatBounceExpiry(account.bounceExpiry)?.join(', ') ?? '';
  const retention = formatInboxRetention(account.inboxRetention) ?? '';
  const value = (name: string, present: string) => (entered ? textOf(entered, name) : present);
  const isAdmin = includesRole(props.visitor.role, 'admin');
  return (
    <ConsolePage {...props} title="Settings" section="/console/settings">
      <p class="lede">
        How the account {account.name} decides whom it may mail. Each change is in the audit log.
      </p>
      <section class="card">
        {isAdmin ? (
          <form class="form" method="post" action="/console/settings">
            <Select
              name="removal"
              label={LABELS.removal}
              hint={REMOVAL_HINT}
              value={value('removal', account.removal)}
              choices={REMOVALS}
            />
            <Select
              name="complaint_reach"
              label={LABELS.reach}
              value={value('complaint_reach', account.complaintReach)}
              choices={REACHES}
            />
            <Input
              name="bounce_expiry"
              label="Bounces expire after"
              hint="How long the first, second, … bounce of an address suppresses it, such as 7d, 30d, 180d; later bounces never expire. If empty, no bounce does."
              value={value('bounce_expiry', terms)}
            />
            <Input
              name="inbox_retention"
              label={LABELS.retention}
              hint="Deliveries, and other events that changed nothing on the list, such as 30d. If empty, as long as the operator of the service has set."
              value={value('inbox_retention', retention)}
            />
            <Select
              name="incident_guard"
              label={LABELS.guard}
              hint={GUARD_HINT}
              value={value('incident_guard', account.incidentGuard)}
              choices={GUARDS}
            />
            <Input
              name="incident_min_addresses"
              label={LABELS.minAddresses}
              hint="How many addresses must bounce within 15 minutes, from 10 to 1,000,000."
              value={value('incident_min_addresses', String(account.incidentMinAddresses))}
            />
            <Input
              name="incident_min_share"
              label={LABELS.minShare}
              hint="Which fraction of the results must be bounces, from 0.01 to 1, such as 0.1."
              value={value('incident_min_share', String(account.incidentMinShare))}
            />
            <button class="primary" type="submit">
              Save
            </button>
          </form>
        ) : (
          <dl class="facts">
            <dt>{LABELS.removal}</dt>
            <dd>{REMOVALS.find((choice) => choice.value === account.removal)!.label}</dd>
            <dt>{LABELS.reach}</dt>
            <dd>{REACHES.find((choice) => choice.value === account.complaintReach)!.label}</dd>
            <dt>Bounces</dt>
            <dd>{terms ? `Expire after ${terms}; later ones never expire` : 'Never expire'}</dd>
            <dt>{LABELS.retention}</dt>
            <dd>{retention || 'As long as the operator of the service has set'}</dd>
            <dt>{LABELS.guard}</dt>
            <dd>{GUARDS.find((choice) => choice.value === account.incidentGuard)!.label}</dd>
            <dt>{LABELS.minAddresses}</dt>
            <dd>At least {account.incidentMinAddresses.toLocaleString('en')} within 15 minutes</dd>
            <dt>{LABELS.minShare}</dt>
            <dd>At least {account.incidentMinShare} of the results</dd>
          </dl>
        )}
      </section>
    </ConsolePage>
  );
}
