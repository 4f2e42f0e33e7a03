import { SecretCard } from '../../components/card.js';
import { ConfirmButton } from '../../components/confirmation.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm, Form } from '../../components/form.js';
import { Input, Select } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import type { ListedPerson } from '../../people/people.service.js';
import { includesRole, type Role } from '../../people/roles.js';

/** A link that signs a person in. */
export interface SignInLink {
  email: string;
  url: string;
}

interface PeoplePageProps extends PageProps {
  list: List<ListedPerson>;
  /** The link of somebody who was just invited. */
  link?: SignInLink | undefined;
  /** Whether people sign in at an identity provider. Then only the operator makes links. */
  hasOidc: boolean;
}

const ROLE_NAMES: Record<Role, string> = { viewer: 'Viewer', editor: 'Editor', admin: 'Admin' };

const ROLE_MEANINGS: Record<Role, string> = {
  viewer: 'Viewer: may look at everything',
  editor: 'Editor: also changes suppressions, topics, rules, and imports; pauses sources; tests webhooks',
  admin:
    'Admin: also changes API keys, people, settings, and secrets; creates and deletes sources and webhooks',
};

export function PeoplePage({ visitor, list, link, hasOidc }: PeoplePageProps) {
  const isAdmin = includesRole(visitor.role, 'admin');
  const mayInvite = isAdmin && !hasOidc;
  return (
    <ListPage
      visitor={visitor}
      title="People"
      path="/console/people"
      createLabel={mayInvite && 'Invite somebody'}
      intro={
        hasOidc
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
        Change: isAdmin && ((person) => <Changes person={person} isSelf={person.id === visitor.personId} />),
      }}
      empty="Nobody."
    >
      {mayInvite && <InviteCard />}
    </ListPage>
  );
}

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
      <Input name="email" label="Address" type="email" required />
      <Select
        name="role"
        label="Role"
        none="Keep the current role (new people become viewers)"
        choices={ROLE_MEANINGS}
      />
    </CardForm>
  );
}
