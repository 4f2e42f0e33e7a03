import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { ApiKeysService } from '../../../api-keys/api-keys.service.js';
import { SCOPES, type Scope } from '../../../api-keys/scopes.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, textOf, textsOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { ApiKeysPage } from './api-keys.view.js';
import { LIFETIMES } from './create-key.view.js';

const ROWS = 30;
const DAY_MS = 86_400_000;
const OVERLAP_MS = DAY_MS;

@ConsoleController('api-keys')
@RequireRole('viewer')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.page({ visitor }, { query });
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  create(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const key = { name: textOf(form, 'name'), scopes: scopesIn(form), expiresAt: expiryIn(form) };
        const { secret } = await this.apiKeys.create(context, key);
        return this.page({ visitor }, { secret });
      },
      (problem) => this.page({ visitor, problem }, { entered: form }),
    );
  }

  @Post(':key/rotate')
  @RequireRole('admin', { recent: true })
  rotate(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('key') id: string,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const { secret } = await this.apiKeys.rotate(context, id, OVERLAP_MS);
        return this.page({ visitor }, { secret });
      },
      (problem) => this.page({ visitor, problem }),
    );
  }

  @Post(':key/revoke')
  @RequireRole('admin', { recent: true })
  revoke(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('key') id: string,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        await this.apiKeys.revoke(context, id);
        return new Done('/console/api-keys', 'The key is revoked.');
      },
      (problem) => this.page({ visitor, problem }),
    );
  }

  private async page(props: PageProps, more: { query?: Fields; entered?: Fields; secret?: string } = {}) {
    const { query, ...rest } = more;
    const cursor = await cursorIn(query, ROWS);
    const page = await this.apiKeys.page(props.visitor.accountId, cursor);
    return ApiKeysPage({ ...props, ...rest, page, cursor });
  }
}

function scopesIn(form: Fields): Scope[] {
  const chosen = textsOf(form, 'scopes');
  const scopes = SCOPES.filter((scope) => chosen.includes(scope));
  if (scopes.length === 0) {
    throw ValidationError.ofRequest('Choose what the key may do.');
  }
  return scopes;
}

function expiryIn(form: Fields): Date | null {
  const days = textOf(form, 'days');
  if (!LIFETIMES.some(({ value }) => value === days)) {
    throw ValidationError.ofRequest('Choose a lifetime from the list.');
  }
  return days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS);
}
