import type { JSX } from 'preact';
import { SCOPES, type Scope } from '../../../api-keys/scopes.js';
import { textOf, textsOf, type Fields } from '../../access/fields.js';
import { Checkbox, Input, Select } from '../../components/form.js';

/** The values are days. */
export const LIFETIMES = [
  { value: '', label: 'Does not expire' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
];

/** A scope that ends in `:write` includes the one that ends in `:read`. */
const SCOPE_MEANINGS: Record<Scope, string> = {
  'suppressions:read': 'Check, look up, list, and export; create unsubscribe links',
  'suppressions:write': 'Also add, remove, and import',
  'suppressions:check-transactional': 'Check for transactional email',
  'suppressions:lift': 'Lift complaints, unsubscribes, and opt-outs, with a consent',
  'topics:read': 'Read topics and preferences',
  'topics:write': 'Change them, too',
  'rules:read': 'Read rules',
  'rules:write': 'Change them, too',
  'changes:read': 'Read all changes of the list',
  'audit:read': 'Read the audit log',
  'events:read': 'Read the events of providers',
  'events:write': 'Also report bounces, complaints, and unsubscribes',
  'account:read': 'Read the settings, as every key may',
  'account:write': 'Change the settings',
  'webhooks:write': 'Manage webhooks',
};

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
