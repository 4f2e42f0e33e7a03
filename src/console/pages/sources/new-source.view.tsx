import type { Provider } from '../../../inbound/providers/provider.js';
import { Card } from '../../components/card.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Form } from '../../components/form.js';
import { Input, TextArea } from '../../components/inputs.js';
import { providerLabel } from './source-words.js';

export function NewSourcePage({ visitor, provider }: PageProps & { provider: Provider }) {
  return (
    <ConsolePage visitor={visitor} title={`Add ${providerLabel(provider.name)}`} section="/console/sources">
      <Card>
        <Form action="/console/sources" submit="Create" hidden={{ provider: provider.name }}>
          <Input
            name="name"
            label="Name"
            hint="Shown in the history. Defaults to the name of the provider."
            maxLength={100}
          />
          {provider.options.map(({ name, description, required, isList }) => {
            const field = { name: `option_${name}`, label: description, required: required !== undefined };
            return isList ? (
              <TextArea key={name} {...field} hint="One on each line." />
            ) : (
              <Input key={name} {...field} />
            );
          })}
          <fieldset>
            <legend>Soft limit</legend>
            <p class="hint">
              Suppress an address after several temporary failures, such as 5 within 14 days, if no email was
              delivered meanwhile. If both are empty, temporary failures never suppress.
            </p>
            <div class="row">
              <Input name="failures" label="Failures" type="number" />
              <Input name="days" label="Days" type="number" />
            </div>
          </fieldset>
        </Form>
      </Card>
    </ConsolePage>
  );
}
