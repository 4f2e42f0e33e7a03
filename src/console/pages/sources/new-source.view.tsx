import type { JSX } from 'preact';
import type { Provider } from '../../../inbound/providers/provider.js';
import { keptFields, textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Hidden, Input, TextArea } from '../../components/form.js';
import { providerLabel } from './source-words.js';

interface NewSourcePageProps extends PageProps {
  provider: Provider;
  entered?: Fields;
}

export function NewSourcePage({ provider, ...props }: NewSourcePageProps): JSX.Element {
  const { entered = keptFields(props.visitor, '/console/sources') } = props;
  return (
    <ConsolePage {...props} title={`Add ${providerLabel(provider.name)}`} section="/console/sources">
      <section class="card">
        <form class="form" method="post" action="/console/sources">
          <Hidden values={{ provider: provider.name }} />
          <Input
            name="name"
            label="Name"
            hint="Shown in the history. Defaults to the name of the provider."
            maxLength={100}
            value={textOf(entered, 'name')}
          />
          {provider.options.map(({ name, description, required, isList }) =>
            isList ? (
              <TextArea
                key={name}
                name={`option_${name}`}
                label={description}
                hint="One on each line."
                value={textOf(entered, `option_${name}`)}
                required={required !== undefined}
              />
            ) : (
              <Input
                key={name}
                name={`option_${name}`}
                label={description}
                value={textOf(entered, `option_${name}`)}
                required={required !== undefined}
              />
            ),
          )}
          <fieldset>
            <legend>Soft limit</legend>
            <p class="hint">
              Suppress an address after several temporary failures, such as 5 within 14 days, if no email was
              delivered meanwhile. If both are empty, temporary failures never suppress.
            </p>
            <div class="row">
              <Input name="failures" label="Failures" type="number" value={textOf(entered, 'failures')} />
              <Input name="days" label="Days" type="number" value={textOf(entered, 'days')} />
            </div>
          </fieldset>
          <button class="primary" type="submit">
            Create
          </button>
        </form>
      </section>
    </ConsolePage>
  );
}
