import type { Account } from '../../../accounts/account.entity.js';
import { formatBounceExpiry, formatInboxRetention } from '../../../accounts/periods.js';
import { Card, Facts } from '../../components/card.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Form } from '../../components/form.js';
import { Input, Select } from '../../components/inputs.js';
import { includesRole } from '../../people/roles.js';

const REMOVALS: Record<Account['removal'], string> = { open: 'Open', guarded: 'Guarded' };
const REMOVAL_HINT =
  'Open: every editor may lift any cause. Guarded: lifting a bounce requires a note. Lifting a complaint or an unsubscribe, or opting a recipient in again, requires the recipient’s consent, and an admin or an API key with suppressions:lift.';

const REACHES: Record<Account['complaintReach'], string> = {
  all: 'All email',
  marketing: 'All email except transactional',
};

const GUARDS: Record<Account['incidentGuard'], string> = {
  off: 'Do not look for incidents',
  alert: 'Alert',
  hold: 'Hold',
};
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

export function SettingsPage({ visitor, account }: PageProps & { account: Account }) {
  return (
    <ConsolePage visitor={visitor} title="Settings" section="/console/settings">
      <p class="lede">
        How the account {account.name} decides whom it may mail. Each change is in the audit log.
      </p>
      <Card>
        {includesRole(visitor.role, 'admin') ? (
          <SettingsForm account={account} />
        ) : (
          <SettingsFacts account={account} />
        )}
      </Card>
    </ConsolePage>
  );
}

function SettingsForm({ account }: { account: Account }) {
  const values = {
    removal: account.removal,
    complaint_reach: account.complaintReach,
    bounce_expiry: termsOf(account),
    inbox_retention: formatInboxRetention(account.inboxRetention) ?? '',
    incident_guard: account.incidentGuard,
    incident_min_addresses: String(account.incidentMinAddresses),
    incident_min_share: String(account.incidentMinShare),
  };
  return (
    <Form action="/console/settings" submit="Save" values={values}>
      <Select name="removal" label={LABELS.removal} hint={REMOVAL_HINT} choices={REMOVALS} />
      <Select name="complaint_reach" label={LABELS.reach} choices={REACHES} />
      <Input
        name="bounce_expiry"
        label="Bounces expire after"
        hint="How long the first, second, … bounce of an address suppresses it, such as 7d, 30d, 180d; later bounces never expire. If empty, no bounce does."
      />
      <Input
        name="inbox_retention"
        label={LABELS.retention}
        hint="Deliveries, and other events that changed nothing on the list, such as 30d. If empty, as long as the operator of the service has set."
      />
      <Select name="incident_guard" label={LABELS.guard} hint={GUARD_HINT} choices={GUARDS} />
      <Input
        name="incident_min_addresses"
        label={LABELS.minAddresses}
        hint="How many addresses must bounce within 15 minutes, from 10 to 1,000,000."
      />
      <Input
        name="incident_min_share"
        label={LABELS.minShare}
        hint="Which fraction of the results must be bounces, from 0.01 to 1, such as 0.1."
      />
    </Form>
  );
}

function SettingsFacts({ account }: { account: Account }) {
  const terms = termsOf(account);
  return (
    <Facts
      facts={{
        [LABELS.removal]: REMOVALS[account.removal],
        [LABELS.reach]: REACHES[account.complaintReach],
        Bounces: terms ? `Expire after ${terms}; later ones never expire` : 'Never expire',
        [LABELS.retention]:
          formatInboxRetention(account.inboxRetention) || 'As long as the operator of the service has set',
        [LABELS.guard]: GUARDS[account.incidentGuard],
        [LABELS.minAddresses]: `At least ${account.incidentMinAddresses.toLocaleString('en')} within 15 minutes`,
        [LABELS.minShare]: `At least ${account.incidentMinShare} of the results`,
      }}
    />
  );
}

function termsOf({ bounceExpiry }: Account): string {
  return formatBounceExpiry(bounceExpiry)?.join(', ') ?? '';
}
