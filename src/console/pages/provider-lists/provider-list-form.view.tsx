import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { listProviderOf, type ListProviderName } from '../../../provider-lists/providers/providers.js';
import type { Visit } from '../../access/visit.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Card } from '../../components/content.js';
import { changedIn, Form, textOf, type Fields } from '../../components/form.js';
import { Checkbox, Input } from '../../components/inputs.js';
import { labelOfField, PROVIDER_LABELS } from '../../components/words.js';

/** By the name of the field. */
export const SWITCH_NAMES = {
  pull: 'Add here what only the provider has',
  push_additions: 'Add at the provider what is only here',
  push_removals: 'Remove at the provider what was lifted here, unless a person must confirm it',
  push_unsubscribes: 'Also add unsubscribes, if the scope sends only marketing mail',
  shared: 'Other provider lists may have the same scope; then this one can only add here',
} as const;

export function NewProviderListPage({ visitor, provider }: PageProps & { provider: ListProviderName }) {
  return (
    <ConsolePage
      visitor={visitor}
      title={`Add a list of ${PROVIDER_LABELS[provider]}`}
      section="/console/provider-lists"
    >
      <Card>
        <p>
          Give the credentials only <a href="/docs/guides/provider-lists.md#providers">the permissions</a>{' '}
          that they need. They are stored encrypted, and never shown again. Nothing is read before the first
          plan.
        </p>
        <Form
          action="/console/provider-lists"
          submit="Create"
          hidden={{ provider }}
          values={{ interval: '1d' }}
        >
          <Input
            name="name"
            label="Name"
            hint="Shown in the history. Defaults to the name of the provider."
          />
          <ScopeFields provider={provider} />
          <CredentialFields provider={provider} isNew />
          <SettingFields />
        </Form>
      </Card>
    </ConsolePage>
  );
}

function ScopeFields({ provider }: { provider: ListProviderName }) {
  return (
    <>
      {listProviderOf(provider).scope.map(({ name, meaning, default: fallback }) => (
        <Input
          key={name}
          name={`scope_${name}`}
          label={labelOfField(name)}
          hint={meaning.replaceAll('`', '')}
          required={fallback === undefined}
        />
      ))}
    </>
  );
}

/** @param isNew - whether they are required */
export function CredentialFields({
  provider,
  isNew = false,
}: {
  provider: ListProviderName;
  isNew?: boolean;
}) {
  return (
    <>
      {listProviderOf(provider).credentials.map(({ name, meaning }) => (
        <Input
          key={name}
          name={`credential_${name}`}
          label={labelOfField(name)}
          hint={isNew ? meaning : `${meaning} If it stays empty, the stored one stays.`}
          type="password"
          required={isNew}
        />
      ))}
    </>
  );
}

export function SettingFields() {
  return (
    <>
      <Input
        name="interval"
        label="Interval"
        hint="How often it is compared, in hours or days, such as 6h or 1d."
      />
      <fieldset>
        <legend>What changes without a person</legend>
        {Object.entries(SWITCH_NAMES).map(([name, label]) => (
          <Checkbox key={name} name={name} value="true">
            {label}
          </Checkbox>
        ))}
      </fieldset>
    </>
  );
}

/** What is switched on, by the names of the fields. */
export function switchesIn(list: ProviderList): (keyof typeof SWITCH_NAMES)[] {
  const { pull, pushAdditions, pushRemovals, pushUnsubscribes, shared } = list;
  const switches = {
    pull,
    push_additions: pushAdditions,
    push_removals: pushRemovals,
    push_unsubscribes: pushUnsubscribes,
    shared,
  };
  return (Object.keys(switches) as (keyof typeof switches)[]).filter((name) => switches[name]);
}

/** The form as the body of the API. Fields that were left empty are absent. */
export function newListIn(form: Fields, provider: ListProviderName): Record<string, unknown> {
  return {
    ...settingsIn(form),
    provider,
    name: textOf(form, 'name') || provider,
    scope: partsIn(form, 'scope', listProviderOf(provider).scope),
    credentials: credentialsIn(form, provider),
  };
}

/** Without credentials, those that are stored stay. So do settings that the person did not change. */
export function changesIn(form: Fields, provider: ListProviderName): Record<string, unknown> {
  const credentials = credentialsIn(form, provider);
  const settings = { ...settingsIn(form), name: textOf(form, 'name') };
  return {
    ...changedIn(form, settings),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
}

/** The page that comes again has no credentials. */
export function withoutCredentials(visit: Visit): Visit {
  const { entered } = visit;
  const fields = Object.entries(entered?.fields ?? {}).filter(([name]) => !name.startsWith('credential_'));
  return { ...visit, entered: entered && { ...entered, fields: Object.fromEntries(fields) } };
}

function settingsIn(form: Fields): Record<string, unknown> {
  const switches = Object.keys(SWITCH_NAMES).map((name) => [name, textOf(form, name) === 'true']);
  return { ...Object.fromEntries(switches), interval: textOf(form, 'interval') };
}

function credentialsIn(form: Fields, provider: ListProviderName): Record<string, string> {
  return partsIn(form, 'credential', listProviderOf(provider).credentials);
}

function partsIn(form: Fields, prefix: string, parts: readonly { name: string }[]): Record<string, string> {
  const values = parts.map(({ name }) => [name, textOf(form, `${prefix}_${name}`)]);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
