import type { JSX } from 'preact';
import type { Cause } from '../../../ledger/cause.js';
import { textOf, textsOf, type Fields } from '../../access/fields.js';
import { Hidden, Input } from '../../components/form.js';
import { ConsentFields } from './consent-fields.view.js';
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

/** Lifts causes. In an account that guards removals, it asks for what entitles the person to that. */
export function LiftForm({ email, causes, isGuarded, label, entered }: LiftFormProps): JSX.Element {
  const key = causes.join('-');
  const refused = textsOf(entered, 'cause').join('-') === key ? entered : undefined;
  return (
    <details class="act" open={refused !== undefined}>
      <summary>{label}</summary>
      <form class="form" method="post" action="/console/lift">
        <Hidden values={{ email }} />
        {causes.map((cause) => (
          <Hidden key={cause} values={{ cause }} />
        ))}
        {isGuarded && needsConsent(causes) && (
          <ConsentFields id={key} label="Evidence for lifting" entered={refused} required />
        )}
        <Input
          id={`note-${key}`}
          name="note"
          label="Note"
          hint="Who asked, and where: a case number or a call."
          maxLength={1000}
          value={textOf(refused, 'note')}
          required={isGuarded && causes.includes('bounce')}
        />
        <button class="danger" type="submit">
          {label}
        </button>
      </form>
    </details>
  );
}
