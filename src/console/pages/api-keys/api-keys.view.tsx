import { Fragment, type JSX } from 'preact';
import type { ApiKey } from '../../../api-keys/api-key.entity.js';
import { nameOfSet } from '../../../api-keys/scopes.js';
import { apiKeyName } from '../../../audit/actor.js';
import type { Page } from '../../../http/page.js';
import { keptFields, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { PostButton } from '../../components/post-button.js';
import { SecretCard } from '../../components/secret-card.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { includesRole } from '../../people/roles.js';
import { CreateCard } from './create-key.view.js';

interface ApiKeysPageProps extends PageProps {
  page: Page<ApiKey>;
  cursor: PageCursor;
  entered?: Fields;
  /** The secret of a key that was just created. */
  secret?: string;
}

export function ApiKeysPage({ page, cursor, secret, ...props }: ApiKeysPageProps): JSX.Element {
  const { entered = keptFields(props.visitor, '/console/api-keys') } = props;
  const isAdmin = includesRole(props.visitor.role, 'admin');
  return (
    <ConsolePage
      {...props}
      title="API keys"
      section="/console/api-keys"
      actions={
        isAdmin && (
          <a class="button" href="#create">
            Create a key
          </a>
        )
      }
    >
      {secret && (
        <SecretCard title="The new key" secret={secret}>
          Copy it now. It is not shown again.
        </SecretCard>
      )}
      <section class="card">
        <Table
          caption="API keys"
          columns={['Key', 'Scopes', 'Last used', 'Status', ...(isAdmin ? ['Change'] : [])]}
          rows={page.elements.map((key) => ({
            key: key.id,
            cells: [
              <>
                {apiKeyName(key.name, key.id)}
                <div class="muted mono">{key.prefix}…</div>
                <div class="muted">
                  created <Timestamp at={key.createdAt} />
                </div>
              </>,
              <Scopes key="scopes" scopes={key.scopes} />,
              <Timestamp key="used" at={key.lastUsedAt} />,
              <Status key="status" apiKey={key} />,
              ...(isAdmin ? [isUsable(key) ? <Changes key="change" apiKey={key} /> : '–'] : []),
            ],
          }))}
          empty={`No program can use this account yet.${isAdmin ? ' Create a key for each of your mailers.' : ' An admin creates the first key.'}`}
        />
        <Pager path="/console/api-keys" cursor={cursor} page={page} />
      </section>
      {isAdmin && <CreateCard entered={entered} />}
    </ConsolePage>
  );
}

/** Breaks after a colon rather than within a word. */
function Scopes({ scopes }: Pick<ApiKey, 'scopes'>): JSX.Element {
  const set = nameOfSet(scopes);
  if (set) {
    return <>{set}</>;
  }
  return (
    <>
      {scopes
        .join(', ')
        .split(/(?<=:)/)
        .map((part, index) => (
          <Fragment key={index}>
            {index > 0 && <wbr />}
            {part}
          </Fragment>
        ))}
    </>
  );
}

function Status({ apiKey }: { apiKey: ApiKey }): JSX.Element {
  if (apiKey.revokedAt) {
    return <span class="badge plain">Revoked</span>;
  }
  if (!isUsable(apiKey)) {
    return <span class="badge plain">Expired</span>;
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

function Changes({ apiKey: { id, name, successorId } }: { apiKey: ApiKey }): JSX.Element {
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
