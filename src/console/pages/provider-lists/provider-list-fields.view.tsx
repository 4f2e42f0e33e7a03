import { listProviderOf, type ListProviderName } from '../../../provider-lists/providers/providers.js';
import { Checkbox, Input } from '../../components/inputs.js';
import { capitalized } from '../../components/words.js';
import { SWITCH_NAMES } from './provider-list-words.js';

export function ScopeFields({ provider }: { provider: ListProviderName }) {
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
