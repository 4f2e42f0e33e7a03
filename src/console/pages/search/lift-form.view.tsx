import type { JSX } from 'preact';
import type { Cause } from '../../../ledger/cause.js';
import { CONSENT_KINDS, type ConsentKind } from '../../../ledger/evidence.js';
import { textOf, textsOf, type Fields } from '../../access/fields.js';
import { Hidden, Input, Select } from '../../components/form.js';
import { needsConsent } from './lift-permission.js';

interface LiftFormProps {
  email: string;
  causes: readonly Cause[];
  /** Whether the account guards removals. */
  isGuarded: boolean;
  label: string;
  /** The fields of the form that was refused, of these causes or of others. */
  entered: Fields | undefined;
}

const CONSENTS: Record<ConsentKind, string> = {
  recipient_request: 'The recipient asked for it',
  double_opt_in: 'The recipient confirmed a subscription',
  our_error: 'It was our error',
};

/** Lifts causes. In an account that guards removals, it asks for what entitles the person to that. */
export function LiftForm({ email, causes, isGuarded, label, entered }: LiftFormProps): JSX.Element {
  const key = causes.join('-');
  const isRefused = textsOf(entered, 'cause').join('-') === key;
  const valueOf = (name: string) => (isRefused ? textOf(entered, name) : '');
  return (
    <details class="act" open={isRefused}>
      <summary>{label}</summary>
      <form class="form" method="post" action="/console/lift">
        <Hidden values={{ email }} />
        {causes.map((cause) => (
          <Hidden key={cause} values={{ cause }} />
        ))}
        {isGuarded && needsConsent(causes) && (
          <>
            <Select
              id={`consent-${key}`}
              name="consent_kind"
              label="Evidence for lifting"
              value={valueOf('consent_kind')}
              choices={CONSENT_KINDS.map((value) => ({ value, label: CONSENTS[value] }))}
            />
            <Input
              id={`reference-${key}`}
              name="consent_reference"
              label="Where this is documented"
              hint="Such as a case number."
              maxLength={500}
              value={valueOf('consent_reference')}
              required
            />
          </>
        )}
        <Input
          id={`note-${key}`}
          name="note"
          label="Note"
          hint="Who asked, and where: a case number or a call."
          maxLength={1000}
          value={valueOf('note')}
          required={isGuarded && causes.includes('bounce')}
        />
        <button class="danger" type="submit">
          {label}
        </button>
      </form>
    </details>
  );
}
