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

const LABELS = {
  removal: 'Lifting suppressions',
  reach: 'A complaint stops',
  retention: 'Deliveries are kept for',
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
              hint="How long the first, second, … bounce of an address suppresses it, such as 7d, 30d, 180d. If empty, bounces never expire."
              value={value('bounce_expiry', terms)}
            />
            <Input
              name="inbox_retention"
              label={LABELS.retention}
              hint="How long events that changed nothing are kept, such as 30d. If empty, as long as the operator of the service has set."
              value={value('inbox_retention', retention)}
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
          </dl>
        )}
      </section>
    </ConsolePage>
  );
}
