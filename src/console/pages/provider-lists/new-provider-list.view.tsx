import type { ListProviderName } from '../../../provider-lists/providers/providers.js';
import { Card } from '../../components/card.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Form } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import { CredentialFields, ScopeFields, SettingFields } from './provider-list-fields.view.js';
import { PROVIDER_NAMES } from './provider-list-words.js';

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
