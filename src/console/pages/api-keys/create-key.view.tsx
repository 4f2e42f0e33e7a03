import { SCOPE_MEANINGS, SCOPES } from '../../../api-keys/scopes.js';
import { CardForm } from '../../components/form.js';
import { Checkbox, Input, Select } from '../../components/inputs.js';

/** By the number of days. */
export const LIFETIMES = { 30: '30 days', 90: '90 days', 365: 'A year' };

export function CreateCard() {
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
