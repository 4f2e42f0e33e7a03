import { Get, Post } from '@nestjs/common';
import { ChangeAccountDto } from '../../../account-settings/account.dto.js';
import { AccountsService } from '../../../accounts/accounts.service.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, type Visit } from '../../access/visit.js';
import { Done, submitChange } from '../../access/submit.js';
import { textOf, type Fields } from '../../components/form.js';
import { SettingsPage } from './settings.view.js';

@ConsoleController('settings', 'viewer')
export class SettingsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  async show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return SettingsPage({ visitor: visit, account: await this.accounts.getById(visit.accountId) });
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  change(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submitChange(
      visit,
      async () => this.accounts.changeSettings(visit.context, (await settingsIn(visit.form)).toChanges()),
      new Done('/console/settings', 'The settings are saved.'),
      (refused) => this.show(refused),
    );
  }
}

/** The settings in a form. A field that a form of an earlier version lacks is absent. */
function settingsIn(form: Fields): Promise<ChangeAccountDto> {
  const terms = textOf(form, 'bounce_expiry')
    .split(/[\s,]+/)
    .filter(Boolean);
  return readAs(ChangeAccountDto, {
    removal: textOf(form, 'removal'),
    complaint_reach: textOf(form, 'complaint_reach'),
    bounce_expiry: terms.length > 0 ? terms : null,
    inbox_retention: textOf(form, 'inbox_retention') || null,
    incident_guard: textOf(form, 'incident_guard'),
    incident_min_addresses: numberIn(form, 'incident_min_addresses'),
    incident_min_share: numberIn(form, 'incident_min_share'),
  });
}

function numberIn(form: Fields, name: string): number | undefined {
  const text = textOf(form, name);
  return text === '' ? undefined : Number(text);
}
