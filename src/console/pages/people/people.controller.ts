import { Get, Inject, Param, Post } from '@nestjs/common';
import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../../email-address/email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { idPipe } from '../../../http/ref.pipe.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { Done, submit, submitChange } from '../../access/submit.js';
import { CurrentVisit, readList, type Visit } from '../../access/visit.js';
import { textOf, type Fields } from '../../components/form.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../../console-settings.js';
import { PersonNotFoundError } from '../../people/errors.js';
import { PeopleService } from '../../people/people.service.js';
import { ROLES, type Role } from '../../people/roles.js';
import { PeoplePage, type SignInLink } from './people.view.js';

const PersonIdPipe = idPipe(PersonNotFoundError);

const ROWS = 30;

@ConsoleController('people', 'viewer')
export class PeopleController {
  constructor(
    private readonly people: PeopleService,
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.page(visit);
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  invite(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => this.page(visit, await this.createLink(visit)),
      (refused) => this.page(refused),
    );
  }

  @Post(':person/role')
  @RequireRole('admin', { recent: true })
  setRole(@CurrentVisit() visit: Visit, @Param('person', PersonIdPipe) id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'The role is changed.', () =>
      this.people.setRole(visit.context, id, roleIn(visit.form)),
    );
  }

  @Post(':person/sign-out')
  @RequireRole('admin', { recent: true })
  signOut(@CurrentVisit() visit: Visit, @Param('person', PersonIdPipe) id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'The person is signed out everywhere.', () =>
      this.people.endSessions(visit.context, id),
    );
  }

  @Post(':person/remove')
  @RequireRole('admin', { recent: true })
  remove(@CurrentVisit() visit: Visit, @Param('person', PersonIdPipe) id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'The person is removed.', () => this.people.remove(visit.context, id));
  }

  private change(visit: Visit, id: string, done: string, work: () => Promise<void>): Promise<HtmlResponse> {
    const change = async () => {
      requireOther(id === visit.personId);
      await work();
    };
    return submitChange(visit, change, new Done('/console/people', done), (refused) => this.page(refused));
  }

  private async createLink({ context, email: own, form }: Visit): Promise<SignInLink> {
    const email = emailIn(form);
    const role = textOf(form, 'role') === '' ? undefined : roleIn(form);
    requireOther(email === own);
    const { token } = await this.people.invite(context, email, role);
    return { email, url: `${this.settings.baseUrl}/console/sign-in/${token}` };
  }

  private async page(visit: Visit, link?: SignInLink) {
    const list = await readList(visit, ROWS, (cursor) => this.people.page(visit.accountId, cursor));
    return PeoplePage({ visitor: visit, list, link, hasOidc: this.settings.hasOidc });
  }
}

function emailIn(form: Fields): EmailAddress {
  const email = parseEmailAddress(textOf(form, 'email'));
  if (email instanceof InvalidEmailAddress) {
    throw ValidationError.ofFields([{ path: 'email', message: email.problem }]);
  }
  return email;
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
