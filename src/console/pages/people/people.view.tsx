import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import { keptFields, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Select } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { SecretCard } from '../../components/secret-card.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import type { ListedPerson } from '../../people/people.service.js';
import { includesRole, type Role } from '../../people/roles.js';
import { InviteCard } from './invite.view.js';

interface PeoplePageProps extends PageProps {
  page: Page<ListedPerson>;
  cursor: PageCursor;
  entered?: Fields;
  /** Whether people sign in at an identity provider. Then only the operator makes links. */
  hasOidc: boolean;
  /** The link of somebody who was just invited. */
  invited?: { email: string; url: string };
}

const ROLE_NAMES: Record<Role, string> = { viewer: 'Viewer', editor: 'Editor', admin: 'Admin' };
const ROLE_CHOICES = Object.entries(ROLE_NAMES).map(([value, label]) => ({ value, label }));

export function PeoplePage(people: PeoplePageProps): JSX.Element {
  const { page, cursor, hasOidc, invited, ...props } = people;
  const { entered = keptFields(props.visitor, '/console/people') } = props;
  const isAdmin = includesRole(props.visitor.role, 'admin');
  return (
    <ConsolePage
      {...props}
      title="People"
      section="/console/people"
      actions={
        isAdmin &&
        !hasOidc && (
          <a class="button" href="#invite">
            Invite somebody
          </a>
        )
      }
    >
      {invited && (
        <SecretCard title={`Send this link to ${invited.email}`} secret={invited.url}>
          It signs in once, within 15 minutes, and is not shown again.
        </SecretCard>
      )}
      <p class="lede">
        {hasOidc
          ? 'People sign in at the identity provider. At each sign-in, their groups determine their roles. Only the operator of this service can create a link for somebody who cannot sign in there.'
          : 'Who may use this console, and what they may do. Their changes appear in the history under their names.'}
      </p>
      <section class="card">
        <Table
          caption="People"
          columns={['Person', 'Role', 'Signed in', 'Last seen', ...(isAdmin ? ['Change'] : [])]}
          rows={page.elements.map(({ person, sessions }) => ({
            key: person.id,
            cells: [
              person.email,
              ROLE_NAMES[person.role],
              sessions.length === 0
                ? 'No'
                : `${sessions.length}\u00a0session${sessions.length > 1 ? 's' : ''}`,
              <Timestamp key="seen" at={sessions[0] ?? null} />,
              ...(isAdmin
                ? [<Changes key="change" listed={{ person, sessions }} self={props.visitor.personId} />]
                : []),
            ],
          }))}
          empty="Nobody."
        />
        <Pager
          path="/console/people"
          cursor={cursor}
          page={{ ...page, elements: page.elements.map(({ person }) => person) }}
        />
      </section>
      {isAdmin && !hasOidc && <InviteCard entered={entered} />}
    </ConsolePage>
  );
}

function Changes({
  listed: { person, sessions },
  self,
}: {
  listed: ListedPerson;
  self: string;
}): JSX.Element {
  const path = `/console/people/${person.id}`;
  if (person.id === self) {
    return <span class="muted">This is you</span>;
  }
  return (
    <details class="act">
      <summary aria-label={`Change ${person.email}`}>Change</summary>
      <div class="form">
        <form class="row" method="post" action={`${path}/role`}>
          <Select
            id={`role-${person.id}`}
            name="role"
            label="Role"
            value={person.role}
            choices={ROLE_CHOICES}
          />
          <button type="submit">Save</button>
        </form>
        {sessions.length > 0 && (
          <ConfirmButton
            action={`${path}/sign-out`}
            label="Sign out everywhere"
            confirm={`Sign out ${person.email}`}
          >
            This ends the sessions in all browsers, and makes unused links invalid. The person can sign in
            again.
          </ConfirmButton>
        )}
        <ConfirmButton action={`${path}/remove`} label="Remove" confirm={`Remove ${person.email}`}>
          The person loses access at once. The history keeps what the person did.
        </ConfirmButton>
      </div>
    </details>
  );
}
