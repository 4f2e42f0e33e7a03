import type { JSX } from 'preact';
import { NEVER_EXPIRES, type Cause } from '../../../ledger/cause.js';
import { CONSENT_KINDS, type ConsentKind } from '../../../ledger/evidence.js';
import { Hidden, Input, Select } from '../../components/form.js';

interface LiftFormProps {
  email: string;
  causes: readonly Cause[];
  /** Whether the address has other causes, which stay. */
  isOnlyOne?: boolean;
  /** Whether the account guards removals. */
  isGuarded: boolean;
  label: string;
}

const CONSENTS: Record<ConsentKind, string> = {
  recipient_request: 'The recipient asked for it',
  double_opt_in: 'The recipient confirmed a subscription',
  our_error: 'It was our error',
};

/** Lifts causes. In an account that guards removals it asks what entitles the person to it. */
export function LiftForm({ email, causes, isOnlyOne = false, isGuarded, label }: LiftFormProps): JSX.Element {
  const key = isOnlyOne ? causes[0]! : 'all';
  const needsConsent = isGuarded && causes.some((cause) => NEVER_EXPIRES.includes(cause));
  return (
    <details class="act">
      <summary>{label}</summary>
      <form class="form" method="post" action="/console/lift">
        <Hidden values={{ email, cause: isOnlyOne ? causes[0]! : '' }} />
        {needsConsent && (
          <>
            <p class="hint">
              This account guards removals: only an admin lifts a complaint or an unsubscribe.
            </p>
            <Select
              id={`consent-${key}`}
              name="consent_kind"
              label="Why it may be lifted"
              choices={CONSENT_KINDS.map((value) => ({ value, label: CONSENTS[value] }))}
            />
            <Input
              id={`reference-${key}`}
              name="consent_reference"
              label="Where that is documented"
              hint="Such as the number of a support case."
              maxLength={500}
              required
            />
          </>
        )}
        <Input
          id={`note-${key}`}
          name="note"
          label="Note"
          hint="Who asked for it, and where: a case number, a call. It stays in the history."
          maxLength={1000}
          required={isGuarded && causes.includes('bounce')}
        />
        <button class="danger" type="submit">
          {label}
        </button>
      </form>
    </details>
  );
}
