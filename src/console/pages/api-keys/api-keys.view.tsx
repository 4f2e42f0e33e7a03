import { Fragment } from 'preact';
import type { ApiKey } from '../../../api-keys/api-key.entity.js';
import { nameOfSet, SCOPE_MEANINGS, SCOPES } from '../../../api-keys/scopes.js';
import { apiKeyName } from '../../../audit/actor.js';
import { SecretCard } from '../../components/card.js';
import { ConfirmButton } from '../../components/confirmation.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm, PostButton } from '../../components/form.js';
import { Checkbox, Input, Select } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import { includesRole } from '../../people/roles.js';

/** By the number of days. */
export const LIFETIMES = { 30: '30 days', 90: '90 days', 365: 'A year' };

function CreateCard() {
  return (
    <CardForm id="create" title="Create a key" action="/console/api-keys" submit="Create">
      <Input
        name="name"
        label="Name"
        hint="Who uses the key. Shown in the history."
        maxLength={100}
        required
      />
      <fieldset class="choices">
        <legend>What it may do</legend>
        {SCOPES.map((scope) => (
          <Checkbox key={scope} name="scopes" value={scope}>
            <code>{scope}</code>
            <span class="hint">{SCOPE_MEANINGS[scope]}</span>
          </Checkbox>
        ))}
      </fieldset>
      <Select name="days" label="Lifetime" none="Does not expire" choices={LIFETIMES} />
    </CardForm>
  );
}

interface ApiKeysPageProps extends PageProps {
  list: List<ApiKey>;
  /** The secret of a key that was just created. */
  secret?: string | undefined;
}

export function ApiKeysPage({ visitor, list, secret }: ApiKeysPageProps) {
  const isAdmin = includesRole(visitor.role, 'admin');
  return (
    <ListPage
      visitor={visitor}
      title="API keys"
      path="/console/api-keys"
      createLabel={isAdmin && 'Create a key'}
      above={
        secret && (
          <SecretCard title="The new key" secret={secret}>
            Copy it now. It is not shown again.
          </SecretCard>
        )
      }
      list={list}
      columns={{
        Key: ({ id, name, prefix, createdAt }) => (
          <>
            {apiKeyName(name, id)}
            <div class="muted mono">{prefix}…</div>
            <div class="muted">
              created <Timestamp at={createdAt} />
            </div>
          </>
        ),
        Scopes: ({ scopes }) => <Scopes scopes={scopes} />,
        'Last used': ({ lastUsedAt }) => <Timestamp at={lastUsedAt} />,
        Status: (key) => <Status apiKey={key} />,
        Change: isAdmin && ((key) => (isUsable(key) ? <Changes apiKey={key} /> : '–')),
      }}
      empty={`No program can use this account yet. ${isAdmin ? 'Create a key for each of your mailers.' : 'An admin creates the first key.'}`}
    >
      {isAdmin && <CreateCard />}
    </ListPage>
  );
}

/** Breaks after a colon rather than within a word. */
function Scopes({ scopes }: Pick<ApiKey, 'scopes'>) {
  const set = nameOfSet(scopes);
  if (set) {
    return <>{set}</>;
  }
  const parts = scopes.join(', ').split(/(?<=:)/);
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

function Status({ apiKey }: { apiKey: ApiKey }) {
  if (!isUsable(apiKey)) {
    return <span class="badge plain">{apiKey.revokedAt ? 'Revoked' : 'Expired'}</span>;
  }
  return (
    <>
      <span class="badge good">Active</span>
      {apiKey.expiresAt && (
        <div class="muted">
          until <Timestamp at={apiKey.expiresAt} />
        </div>
      )}
    </>
  );
}

function isUsable({ revokedAt, expiresAt }: ApiKey): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > new Date());
}

function Changes({ apiKey: { id, name, successorId } }: { apiKey: ApiKey }) {
  return (
    <details class="act">
      <summary aria-label={`Change ${name}`}>Change</summary>
      <div class="form">
        {successorId === null && (
          <>
            <p class="hint">A new key gets the same scopes. This one works for another day.</p>
            <PostButton action={`/console/api-keys/${id}/rotate`} label="Rotate" />
          </>
        )}
        <ConfirmButton action={`/console/api-keys/${id}/revoke`} label="Revoke" confirm={`Revoke ${name}`}>
          Requests with this key are refused within five seconds. This cannot be undone.
        </ConfirmButton>
      </div>
    </details>
  );
}
