import type { Cause } from '../../../ledger/cause.js';
import { DetailsForm } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import { ConsentFields } from './consent-fields.view.js';
import { needsConsent } from './lift-permission.js';

interface LiftFormProps {
  email: string;
  causes: readonly Cause[];
  /** Whether the account guards removals. */
  isGuarded: boolean;
  label: string;
}

/** Lifts causes. In an account that guards removals, it asks for what entitles the person to that. */
export function LiftForm({ email, causes, isGuarded, label }: LiftFormProps) {
  const key = causes.join('-');
  return (
    <DetailsForm
      label={label}
      action="/console/lift"
      submit={label}
      tone="danger"
      hidden={{ email, cause: causes }}
    >
      {isGuarded && needsConsent(causes) && <ConsentFields id={key} label="Evidence for lifting" required />}
      <Input
        id={`note-${key}`}
        name="note"
        label="Note"
        hint="Who asked, and where: a case number or a call."
        maxLength={1000}
        required={isGuarded && causes.includes('bounce')}
      />
    </DetailsForm>
  );
}
