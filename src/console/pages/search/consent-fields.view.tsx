import type { JSX } from 'preact';
import { CONSENT_KINDS, type ConsentKind } from '../../../ledger/evidence.js';
import { textOf, type Fields } from '../../access/fields.js';
import { Input, Select } from '../../components/form.js';

const CONSENTS: Record<ConsentKind, string> = {
  recipient_request: 'The recipient asked for it',
  double_opt_in: 'The recipient confirmed a subscription',
  our_error: 'It was our error',
};

interface ConsentFieldsProps {
  /** Distinguishes the forms of a page. */
  id: string;
  label: string;
  /** The fields of the form that was refused. */
  entered: Fields | undefined;
  required: boolean;
}

/** Asks for what entitles a person to a change that an account guards. */
export function ConsentFields({ id, label, entered, required }: ConsentFieldsProps): JSX.Element {
  return (
    <>
      <Select
        id={`consent-${id}`}
        name="consent_kind"
        label={label}
        value={textOf(entered, 'consent_kind')}
        choices={CONSENT_KINDS.map((value) => ({ value, label: CONSENTS[value] }))}
      />
      <Input
        id={`reference-${id}`}
        name="consent_reference"
        label="Where this is documented"
        hint="Such as a case number."
        maxLength={500}
        value={textOf(entered, 'consent_reference')}
        required={required}
        optional={false}
      />
    </>
  );
}

/** The consent in a form, as the API reads it. */
export function consentIn(form: Fields): { kind: string; reference: string } | undefined {
  const reference = textOf(form, 'consent_reference');
  return reference ? { kind: textOf(form, 'consent_kind'), reference } : undefined;
}
