import { providerNamed, type ProviderName } from '../../../inbound/providers/providers.js';
import type { SourceOption } from '../../../inbound/providers/provider.js';
import { InvalidSourceError } from '../../../inbound/sources/errors.js';
import type { NewSource } from '../../../inbound/sources/new-source.js';
import { Invalid } from '../../../validation/parsers.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Card } from '../../components/content.js';
import { Form, pick, textOf, type Fields } from '../../components/form.js';
import { Input, Select, TextArea } from '../../components/inputs.js';
import { PROVIDER_LABELS } from '../../components/words.js';

/** The form that creates a source. */
export function NewSourcePage({ visitor, provider }: PageProps & { provider: ProviderName }) {
  return (
    <ConsolePage
      visitor={visitor}
      title={`Add a source: ${PROVIDER_LABELS[provider]}`}
      section="/console/sources"
    >
      <Card>
        <Form action="/console/sources" submit="Create" hidden={{ provider }}>
          <Input
            name="name"
            label="Name"
            hint="Shown in the history. Defaults to the name of the provider."
            maxLength={100}
          />
          {optionsOf(provider).map((option) => (
            <OptionField key={option.name} {...option} />
          ))}
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

function OptionField({ name, description, required, isList, choices }: SourceOption) {
  const field = { name: `option_${name}`, label: description };
  if (choices) {
    return <Select {...field} choices={choices} />;
  }
  return isList ? (
    <TextArea {...field} required={required !== undefined} hint="You can give several, one on each line." />
  ) : (
    <Input {...field} required={required !== undefined} />
  );
}

const optionsOf = (provider: ProviderName): readonly SourceOption[] => providerNamed(provider)!.options;

/**
 * The source that a form asks for.
 *
 * @throws {InvalidSourceError}
 */
export function sourceIn(form: Fields, provider: ProviderName): NewSource {
  const options = optionsOf(provider).flatMap((option) => {
    const values = textOf(form, `option_${option.name}`)
      .split('\n')
      .map((value) => value.trim())
      .filter(Boolean)
      .map((value) => parsed(option, value));
    return values.length > 0 ? [[option.name, option.isList ? values : values[0]]] : [];
  });
  return {
    name: textOf(form, 'name') || PROVIDER_LABELS[provider],
    secrets: {},
    options: { ...Object.fromEntries(options), ...softLimitIn(form) },
  };
}

function parsed(option: SourceOption, text: string): unknown {
  const value = option.parse(text);
  if (value instanceof Invalid) {
    throw new InvalidSourceError(`"${option.description}" ${value.problem}.`);
  }
  return value;
}

function softLimitIn(form: Fields): Pick<NewSource['options'], 'softLimit'> {
  const { failures, days } = pick(form, ['failures', 'days']);
  if (failures === '' && days === '') {
    return {};
  }
  if (![failures, days].every((number) => /^[1-9]\d{0,2}$/.test(number))) {
    throw new InvalidSourceError('The soft limit needs a number of failures and a number of days.');
  }
  return { softLimit: { failures: Number(failures), days: Number(days) } };
}
