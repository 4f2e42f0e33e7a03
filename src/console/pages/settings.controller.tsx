import { Get, Post } from '@nestjs/common';
import { ChangeAccountDto } from '../../account-settings/account.dto.js';
import type { Account } from '../../accounts/account.entity.js';
import { AccountsService } from '../../accounts/accounts.service.js';
import { formatBounceExpiry, formatInboxRetention } from '../../accounts/periods.js';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import { ConsoleController, RequireRole } from '../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submitChange, type Visit } from '../access/visit.js';
import { Card, Facts } from '../components/content.js';
import { ConsolePage } from '../components/console-page.js';
import { changedIn, type Fields, Form, textOf } from '../components/form.js';
import { Input, Select } from '../components/inputs.js';
import { SETTING_LABELS } from '../components/words-of-form.js';

@ConsoleController('settings', 'viewer')
export class SettingsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  async show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const account = await this.accounts.getById(visit.accountId);
    return (
      <ConsolePage visitor={visit} title="Settings" section="/console/settings">
        <p class="lede">
          How the account {account.name} decides whom it may mail. Each change is in the audit log.
        </p>
        <Card>
          {visit.isAdmin ? <SettingsForm account={account} /> : <SettingsFacts account={account} />}
        </Card>
      </ConsolePage>
    );
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  change(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submitChange(
      visit,
      async () => this.accounts.changeSettings(visit.context, (await settingsIn(visit.form)).toChanges()),
      new Done('/console/settings', 'Settings saved.'),
      (refused) => this.show(refused),
    );
  }
}

/**
 * The settings that the person changed in a form. The others keep their values, which somebody may have changed since the page
 * was opened.
 */
function settingsIn(form: Fields): Promise<ChangeAccountDto> {
  const terms = textOf(form, 'bounce_expiry')
    .split(/[\s,]+/)
    .filter(Boolean);
  const settings = {
    removal: textOf(form, 'removal'),
    complaint_reach: textOf(form, 'complaint_reach'),
    bounce_expiry: terms.length > 0 ? terms : null,
    inbox_retention: textOf(form, 'inbox_retention') || null,
    incident_guard: textOf(form, 'incident_guard'),
    incident_min_addresses: numberIn(form, 'incident_min_addresses'),
    incident_min_share: numberIn(form, 'incident_min_share'),
  };
  return readAs(ChangeAccountDto, changedIn(form, settings));
}

function numberIn(form: Fields, name: string): number | undefined {
  const text = textOf(form, name);
  return text === '' ? undefined : Number(text);
}

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
  'An incident is a wave of bounces that looks like a fault of the provider. Alert: show it. Hold: also suppress its addresses for a day only, instead of permanently.';

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
    <Form action="/console/settings" submit="Save" values={values} sendsShown>
      <Select name="removal" label={SETTING_LABELS.removal} hint={REMOVAL_HINT} choices={REMOVALS} />
      <Select name="complaint_reach" label={SETTING_LABELS.complaint_reach} choices={REACHES} />
      <Input
        name="bounce_expiry"
        label={SETTING_LABELS.bounce_expiry}
        hint="How long the first, second, … bounce of an address suppresses it, such as 7d, 30d, 180d; later bounces never expire. If empty, bounces never expire."
      />
      <Input
        name="inbox_retention"
        label={SETTING_LABELS.inbox_retention}
        hint="Deliveries, soft failures, and others that ask for no change, such as 30d. If empty, the default of the service applies."
      />
      <Select
        name="incident_guard"
        label={SETTING_LABELS.incident_guard}
        hint={GUARD_HINT}
        choices={GUARDS}
      />
      <Input
        name="incident_min_addresses"
        label={SETTING_LABELS.incident_min_addresses}
        hint="How many addresses must bounce within 15 minutes, from 10 to 1,000,000."
        required
      />
      <Input
        name="incident_min_share"
        label={SETTING_LABELS.incident_min_share}
        hint="The fraction of results that must be bounces, from 0.01 to 1, such as 0.1."
        required
      />
    </Form>
  );
}

function SettingsFacts({ account }: { account: Account }) {
  const terms = termsOf(account);
  return (
    <Facts
      facts={{
        [SETTING_LABELS.removal]: REMOVALS[account.removal],
        [SETTING_LABELS.complaint_reach]: REACHES[account.complaintReach],
        Bounces: terms ? `Expire after ${terms}; later ones never expire` : 'Never expire',
        [SETTING_LABELS.inbox_retention]:
          formatInboxRetention(account.inboxRetention) || 'For the default of the service',
        [SETTING_LABELS.incident_guard]: GUARDS[account.incidentGuard],
        [SETTING_LABELS.incident_min_addresses]: `At least ${account.incidentMinAddresses.toLocaleString('en')} within 15 minutes`,
        [SETTING_LABELS.incident_min_share]: `At least ${account.incidentMinShare} of the results`,
      }}
    />
  );
}

function termsOf({ bounceExpiry }: Account): string {
  return formatBounceExpiry(bounceExpiry)?.join(', ') ?? '';
}
