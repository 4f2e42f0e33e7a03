import { type Cause, NEVER_EXPIRES } from '../../ledger/cause.js';
import type { ConsentKind } from '../../ledger/evidence.js';
import type { Visitor } from '../people/sessions.service.js';
import { type Fields, pick } from './form.js';
import { Input, Select } from './inputs.js';

/** Whether an account that guards removals asks for the consent of the recipient. */
export function needsConsent(causes: readonly Cause[]): boolean {
  return causes.some((cause) => NEVER_EXPIRES.includes(cause));
}

/** Whether a person may lift all these causes, at once. */
export function mayLift(visitor: Visitor, causes: readonly Cause[], isGuarded: boolean): boolean {
  return visitor.isEditor && (!isGuarded || !needsConsent(causes) || visitor.isAdmin);
}

/**
 * Whether a person may lift by query, or decide about many suppressions at once. In a guarded account, only those who may give
 * a consent do so.
 */
export function mayLiftMany(visitor: Visitor, isGuarded: boolean): boolean {
  return visitor.isEditor && (!isGuarded || visitor.isAdmin);
}

const CONSENTS: Record<ConsentKind, string> = {
  recipient_request: 'The recipient asked for it',
  double_opt_in: 'The recipient confirmed a subscription',
  our_error: 'It was our error',
};

interface ConsentFieldsProps {
  /** Distinguishes the forms of a page. */
  id: string;
  label: string;
  required?: boolean;
}

/** Asks for the consent that a guarded change requires. */
export function ConsentFields({ id, label, required = false }: ConsentFieldsProps) {
  return (
    <>
      <Select id={`consent-${id}`} name="consent_kind" label={label} choices={CONSENTS} />
      <Input
        id={`reference-${id}`}
        name="consent_reference"
        label="Where this is documented"
        hint="Such as a case number."
        maxLength={500}
        required={required}
        optional={false}
      />
    </>
  );
}

/** The consent in a form, as the API reads it. */
export function consentIn(form: Fields): { kind: string; reference: string } | undefined {
  const { consent_kind: kind, consent_reference: reference } = pick(form, [
    'consent_kind',
    'consent_reference',
  ]);
  return reference ? { kind, reference } : undefined;
}
