import { Get, Inject, Param, Post } from '@nestjs/common';
import {
  type EmailAddress,
  InvalidEmailAddress,
  parseEmailAddress,
} from '../../email-address/email-address.js';
import { ValidationError } from '../../http/errors/errors.js';
import { idPipe } from '../../http/pipes.js';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import { ConsoleController, RequireRole } from '../access/console-controller.decorator.js';
import { choiceIn, CurrentVisit, Done, readList, submit, submitChange, type Visit } from '../access/visit.js';
import { SecretCard, Timestamp } from '../components/content.js';
import { ConfirmButton, CardForm, type Fields, Form, textOf } from '../components/form.js';
import { Input, Select } from '../components/inputs.js';
import { ListPage } from '../components/list.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import { PersonNotFoundError } from '../people/errors.js';
import { type ListedPerson, PeopleService } from '../people/people.service.js';
import { type Role, ROLES } from '../people/roles.js';

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
    return this.change(visit, id, 'Role changed.', () =>
      this.people.setRole(visit.context, id, choiceIn(visit.form, 'role', ROLES)),
    );
  }

  @Post(':person/sign-out')
  @RequireRole('admin', { recent: true })
  signOut(@CurrentVisit() visit: Visit, @Param('person', PersonIdPipe) id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'Signed out everywhere.', () => this.people.endSessions(visit.context, id));
  }

  @Post(':person/remove')
  @RequireRole('admin', { recent: true })
  remove(@CurrentVisit() visit: Visit, @Param('person', PersonIdPipe) id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'Person removed.', () => this.people.remove(visit.context, id));
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
    const role = textOf(form, 'role') === '' ? undefined : choiceIn(form, 'role', ROLES);
    requireOther(email === own);
    const { token } = await this.people.invite(context, email, role);
    return { email, url: `${this.settings.baseUrl}/console/sign-in/${token}` };
  }

  private async page(visit: Visit, link?: SignInLink) {
    const { accountId, isAdmin } = visit;
    const list = await readList(visit, ROWS, (cursor) => this.people.page(accountId, cursor));
    const mayInvite = isAdmin && !this.settings.hasOidc;
    return (
      <ListPage
        visitor={visit}
        title="People"
        path="/console/people"
        createLabel={mayInvite && 'Invite someone'}
        intro={
          this.settings.hasOidc
            ? 'People sign in at the identity provider. At each sign-in, their groups determine their roles. Only the operator of this service can create a link for somebody who cannot sign in there.'
            : 'Who may use this console, and what they may do. Their changes appear in the history under their names.'
        }
        above={
          link && (
            <SecretCard title={`Send this link to ${link.email}`} secret={link.url}>
              It signs in once, within 15 minutes, and is not shown again.
            </SecretCard>
          )
        }
        list={list}
        columns={{
          Person: ({ email }) => email,
          Role: ({ role }) => ROLE_NAMES[role],
          'Signed in': ({ sessions: { length } }) =>
            length === 0 ? 'No' : `${length}\u00a0session${length > 1 ? 's' : ''}`,
          'Last seen': ({ sessions: [latest = null] }) => <Timestamp at={latest} />,
          Change: isAdmin && ((person) => <Changes person={person} isSelf={person.id === visit.personId} />),
        }}
        empty="Nobody."
      >
        {mayInvite && <InviteCard />}
      </ListPage>
    );
  }
}

function emailIn(form: Fields): EmailAddress {
  const email = parseEmailAddress(textOf(form, 'email'));
  if (email instanceof InvalidEmailAddress) {
    throw ValidationError.ofField('email', email.problem);
  }
  return email;
}

/** So that an account does not lose its last admin by mistake. */
function requireOther(isSelf: boolean): void {
  if (isSelf) {
    throw ValidationError.ofRequest(
      'You cannot change yourself. Ask another admin, or use the command line.',
    );
  }
}

/** A link that signs a person in. */
interface SignInLink {
  email: string;
  url: string;
}

const ROLE_NAMES: Record<Role, string> = { viewer: 'Viewer', editor: 'Editor', admin: 'Admin' };

const ROLE_MEANINGS: Record<Role, string> = {
  viewer: 'Viewer: may look at everything except the audit log and the personal data of one address',
  editor: 'Editor: also changes suppressions, topics, rules, and imports; pauses sources; tests webhooks',
  admin:
    'Admin: also changes API keys, people, settings, and secrets; creates and deletes sources and webhooks; exports the list',
};

function Changes({ person, isSelf }: { person: ListedPerson; isSelf: boolean }) {
  const { id, email, role, sessions } = person;
  const path = `/console/people/${id}`;
  if (isSelf) {
    return <span class="muted">This is you</span>;
  }
  return (
    <details class="act">
      <summary aria-label={`Change ${email}`}>Change</summary>
      <div class="form">
        <Form action={`${path}/role`} submit="Save" tone="plain" values={{ role }} isRow>
          <Select id={`role-${id}`} name="role" label="Role" choices={ROLE_NAMES} />
        </Form>
        {sessions.length > 0 && (
          <ConfirmButton
            action={`${path}/sign-out`}
            label="Sign out everywhere"
            confirm={`Sign out ${email}`}
          >
            This ends the sessions in all browsers, and makes unused links invalid. The person can sign in
            again.
          </ConfirmButton>
        )}
        <ConfirmButton action={`${path}/remove`} label="Remove" confirm={`Remove ${email}`}>
          The person loses access at once. The history keeps what the person did.
        </ConfirmButton>
      </div>
    </details>
  );
}

function InviteCard() {
  return (
    <CardForm
      id="create"
      title="Invite"
      intro="You get a link that signs the person in once. Anyone who has it acts in that person's name, so you can make one only until the first sign-in; later ones come from the operator of this service."
      action="/console/people"
      submit="Make a link"
    >
      <Input name="email" label="Address" required />
      <Select
        name="role"
        label="Role"
        emptyLabel="Keep the current role (new people become viewers)"
        choices={ROLE_MEANINGS}
      />
    </CardForm>
  );
}
