import { Get, Param, Post } from '@nestjs/common';
import { Fragment } from 'preact';
import type { ApiKey } from '../../api-keys/api-key.entity.js';
import { ApiKeysService, type NewApiKey } from '../../api-keys/api-keys.service.js';
import { nameOfSet, SCOPE_MEANINGS, SCOPES } from '../../api-keys/scopes.js';
import { apiKeyName } from '../../audit/actor.js';
import { ValidationError } from '../../http/errors/errors.js';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import { ConsoleController, RequireRole } from '../access/console-controller.decorator.js';
import { CurrentVisit, Done, readList, submit, type Visit } from '../access/visit.js';
import { Badge, SecretCard, Timestamp } from '../components/content.js';
import { ConfirmButton, CardForm, type Fields, PostButton, textOf, textsOf } from '../components/form.js';
import { Checkbox, Input, Select } from '../components/inputs.js';
import { ListPage } from '../components/list.js';

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
      return new Done('/console/api-keys', 'API key revoked.');
    });
  }

  private submit(visit: Visit, handle: () => Promise<HtmlResponse>): Promise<HtmlResponse> {
    return submit(visit, handle, (refused) => this.page(refused));
  }

  /** @param secret - of a key that was just created */
  private async page(visit: Visit, secret?: string) {
    const { accountId, isAdmin } = visit;
    const list = await readList(visit, ROWS, (cursor) => this.apiKeys.page(accountId, cursor));
    return (
      <ListPage
        visitor={visit}
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
        empty={`No API keys yet. ${isAdmin ? 'Create a key for each of your mailers.' : 'An admin creates the first key.'}`}
      >
        {isAdmin && <CreateCard />}
      </ListPage>
    );
  }
}

/** @throws {ValidationError} */
function newKeyIn(form: Fields): NewApiKey {
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

/** By the number of days. */
const LIFETIMES = { 30: '30 days', 90: '90 days', 365: 'A year' };

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
      <Select name="days" label="Lifetime" emptyLabel="Does not expire" choices={LIFETIMES} />
    </CardForm>
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
    return <Badge tone="plain" text={apiKey.revokedAt ? 'Revoked' : 'Expired'} />;
  }
  return (
    <>
      <Badge tone="good" text="Active" />
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
  const shown = apiKeyName(name, id);
  return (
    <details class="act">
      <summary aria-label={`Change ${shown}`}>Change</summary>
      <div class="form">
        {successorId === null && (
          <>
            <p class="hint">A new key gets the same scopes. This one works for another day.</p>
            <PostButton action={`/console/api-keys/${id}/rotate`} label="Rotate" />
          </>
        )}
        <ConfirmButton action={`/console/api-keys/${id}/revoke`} label="Revoke" confirm={`Revoke ${shown}`}>
          Requests with this key are refused within five seconds. This cannot be undone.
        </ConfirmButton>
      </div>
    </details>
  );
}
