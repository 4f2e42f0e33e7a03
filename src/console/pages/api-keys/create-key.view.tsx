import type { JSX } from 'preact';
import { SCOPE_MEANINGS, SCOPES } from '../../../api-keys/scopes.js';
import { textOf, textsOf, type Fields } from '../../access/fields.js';
import { Checkbox, Input, Select } from '../../components/form.js';

/** The values are days. */
export const LIFETIMES = [
  { value: '', label: 'Does not expire' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
];

export function CreateCard({ entered }: { entered: Fields | undefined }): JSX.Element {
  const chosen = entered && textsOf(entered, 'scopes');
  return (
    <section class="card" id="create">
      <h2>Create a key</h2>
      <form class="form" method="post" action="/console/api-keys">
        <Input
          name="name"
          label="Name"
          hint="Who uses the key. Shown in the history."
          maxLength={100}
          value={textOf(entered, 'name')}
          required
        />
        <fieldset class="choices">
          <legend>What it may do</legend>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              name="scopes"
              value={scope}
              label={
                <>
                  <code>{scope}</code>
                  <span class="hint">{SCOPE_MEANINGS[scope]}</span>
                </>
              }
              checked={chosen?.includes(scope) ?? false}
            />
          ))}
        </fieldset>
        <Select name="days" label="Lifetime" value={textOf(entered, 'days')} choices={LIFETIMES} />
        <button class="primary" type="submit">
          Create
        </button>
      </form>
    </section>
  );
}
