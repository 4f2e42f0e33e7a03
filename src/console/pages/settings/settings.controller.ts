import { Body, Get, Post } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { ChangeAccountDto } from '../../../account-settings/account.dto.js';
import { AccountsService } from '../../../accounts/accounts.service.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { readAs, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { Visitor } from '../../people/sessions.service.js';
import { SettingsPage } from './settings.view.js';

@ConsoleController('settings')
@RequireRole('viewer')
export class SettingsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  async show(@CurrentVisitor() visitor: Visitor): Promise<HtmlResponse> {
    const account = await this.accounts.getById(visitor.accountId);
    return SettingsPage({ visitor, account });
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  change(
    @CurrentVisitor() visitor: Visitor,
    @Body() form: Fields,
    @Context() context: RequestContext,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const terms = textOf(form, 'bounce_expiry')
          .split(/[\s,]+/)
          .filter(Boolean);
        const changes = await readAs(ChangeAccountDto, {
          removal: textOf(form, 'removal'),
          complaint_reach: textOf(form, 'complaint_reach'),
          bounce_expiry: terms.length > 0 ? terms : null,
          inbox_retention: textOf(form, 'inbox_retention').trim() || null,
          incident_guard: textOf(form, 'incident_guard') || undefined,
          incident_min_addresses: numberOf(form, 'incident_min_addresses'),
          incident_min_share: numberOf(form, 'incident_min_share'),
        });
        await this.accounts.changeSettings(context, changes.toChanges());
        return new Done('/console/settings', 'The settings are saved.');
      },
      async (problem) => {
        const account = await this.accounts.getById(visitor.accountId);
        return SettingsPage({ visitor, problem, account, entered: form });
      },
    );
  }
}

/** Undefined if the form of an earlier version does not have the field. */
function numberOf(form: Fields, name: string): number | undefined {
  const text = textOf(form, name).trim();
  return text === '' ? undefined : Number(text);
}
