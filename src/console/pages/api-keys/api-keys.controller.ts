import { Get, Param, Post } from '@nestjs/common';
import { ApiKeysService } from '../../../api-keys/api-keys.service.js';
import { SCOPES, type Scope } from '../../../api-keys/scopes.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readList, type Visit } from '../../access/visit.js';
import { Done, submit } from '../../access/submit.js';
import { textOf, textsOf, type Fields } from '../../components/form.js';
import { ApiKeysPage, LIFETIMES } from './api-keys.view.js';

const ROWS = 30;
const DAY_MS = 86_400_000;
const OVERLAP_MS = DAY_MS;

@ConsoleController('api-keys', 'viewer')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Get()
  list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.page(visit);
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.submit(visit, async () => {
      const { secret } = await this.apiKeys.create(visit.context, newKeyIn(visit.form));
      return this.page(visit, secret);
    });
  }

  @Post(':key/rotate')
  @RequireRole('admin', { recent: true })
  rotate(@CurrentVisit() visit: Visit, @Param('key') id: string): Promise<HtmlResponse> {
    return this.submit(visit, async () => {
      const { secret } = await this.apiKeys.rotate(visit.context, id, OVERLAP_MS);
      return this.page(visit, secret);
    });
  }

  @Post(':key/revoke')
  @RequireRole('admin', { recent: true })
  revoke(@CurrentVisit() visit: Visit, @Param('key') id: string): Promise<HtmlResponse> {
    return this.submit(visit, async () => {
      await this.apiKeys.revoke(visit.context, id);
      return new Done('/console/api-keys', 'The key is revoked.');
    });
  }

  private submit(visit: Visit, handle: () => Promise<HtmlResponse>): Promise<HtmlResponse> {
    return submit(visit, handle, (refused) => this.page(refused));
  }

  /** @param secret - of a key that was just created */
  private async page(visit: Visit, secret?: string) {
    const list = await readList(visit, ROWS, (cursor) => this.apiKeys.page(visit.accountId, cursor));
    return ApiKeysPage({ visitor: visit, list, secret });
  }
}

/** @throws {ValidationError} */
function newKeyIn(form: Fields): { name: string; scopes: Scope[]; expiresAt: Date | null } {
  const [chosen, days] = [textsOf(form, 'scopes'), textOf(form, 'days')];
  const scopes = SCOPES.filter((scope) => chosen.includes(scope));
  if (scopes.length === 0) {
    throw ValidationError.ofRequest('Choose what the key may do.');
  }
  if (days !== '' && !Object.hasOwn(LIFETIMES, days)) {
    throw ValidationError.ofRequest('Choose a lifetime from the list.');
  }
  const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS);
  return { name: textOf(form, 'name'), scopes, expiresAt };
}
