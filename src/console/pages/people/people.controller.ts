import { Body, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { InvalidEmailAddress } from '../../../email-address/invalid-email-address.js';
import { parseEmailAddress } from '../../../email-address/email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../../console-settings.js';
import { PersonIdPipe } from '../../people/person-id.pipe.js';
import { PeopleService } from '../../people/people.service.js';
import { ROLES, type Role } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import { PeoplePage } from './people.view.js';

const ROWS = 30;

@ConsoleController('people')
@RequireRole('viewer')
export class PeopleController {
  constructor(
    private readonly people: PeopleService,
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.page({ visitor }, { query });
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  invite(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const email = parseEmailAddress(textOf(form, 'email'));
        if (email instanceof InvalidEmailAddress) {
          throw ValidationError.ofFields([{ path: 'email', message: email.problem }]);
        }
        const role = textOf(form, 'role') === '' ? undefined : roleIn(form);
        requireOther(email === visitor.email);
        const { token } = await this.people.invite(context, email, role);
        const url = `${this.settings.baseUrl}/console/sign-in/${token}`;
        return this.page({ visitor }, { invited: { email, url } });
      },
      (problem) => this.page({ visitor, problem }, { entered: form }),
    );
  }

  @Post(':person/role')
  @RequireRole('admin', { recent: true })
  setRole(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('person', PersonIdPipe) id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, 'The role is changed.', () =>
      this.people.setRole(context, id, roleIn(form)),
    );
  }

  @Post(':person/sign-out')
  @RequireRole('admin', { recent: true })
  signOut(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('person', PersonIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, 'The person is signed out everywhere.', () =>
      this.people.endSessions(context, id),
    );
  }

  @Post(':person/remove')
  @RequireRole('admin', { recent: true })
  remove(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('person', PersonIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, 'The person is removed.', () => this.people.remove(context, id));
  }

  private change(
    visitor: Visitor,
    id: string,
    done: string,
    work: () => Promise<void>,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        requireOther(id === visitor.personId);
        await work();
        return new Done('/console/people', done);
      },
      (problem) => this.page({ visitor, problem }),
    );
  }

  private async page(
    props: PageProps,
    more: { query?: Fields; entered?: Fields; invited?: { email: string; url: string } } = {},
  ) {
    const { query, ...rest } = more;
    const cursor = await cursorIn(query, ROWS);
    const page = await this.people.page(props.visitor.accountId, cursor);
    const { hasOidc } = this.settings;
    return PeoplePage({ ...props, ...rest, hasOidc, page, cursor });
  }
}

function roleIn(form: Fields): Role {
  const role = ROLES.find((known) => known === textOf(form, 'role'));
  if (!role) {
    throw ValidationError.ofRequest(`The role must be one of ${ROLES.join(', ')}.`);
  }
  return role;
}

/** So that an account does not lose its last admin by mistake. */
function requireOther(isSelf: boolean): void {
  if (isSelf) {
    throw ValidationError.ofRequest(
      'You cannot change yourself. Ask another admin, or use the command line.',
    );
  }
}
