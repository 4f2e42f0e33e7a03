import { listProviderOf, type ListProviderName } from '../../../provider-lists/providers/providers.js';
import { Card } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Form } from '../../components/form.js';
import { Checkbox, Input } from '../../components/inputs.js';
import { capitalized } from '../../components/words.js';
import { PROVIDER_NAMES, SWITCH_NAMES } from './provider-list-words.js';

export function NewProviderListPage({ visitor, provider }: PageProps & { provider: ListProviderName }) {
  return (
    <ConsolePage
      visitor={visitor}
      title={`Add a list of ${PROVIDER_NAMES[provider]}`}
      section="/console/provider-lists"
    >
      <Card>
        <p>
          Give the credentials as few permissions as possible:{' '}
          <a href="/docs/guides/provider-lists.md#providers">which ones</a>. They are stored encrypted, and
          never shown again. Nothing is read before the first plan.
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
          label={labelOf(name)}
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
          label={labelOf(name)}
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

/** `Access key id` */
function labelOf(name: string): string {
  return capitalized(name.replaceAll('_', ' '));
}
