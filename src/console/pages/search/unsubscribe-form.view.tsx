import { isPseudonym } from '../../../pseudonyms/pseudonym.js';
import { DetailsForm } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import type { AddressAnswer } from './address-answers.js';

/** Unsubscribes a recipient from everything except transactional mail, unless that is recorded. */
export function UnsubscribeForm({ answer: { email, record } }: { answer: AddressAnswer }) {
  if (isPseudonym(email) || record?.causes.some(({ cause }) => cause === 'unsubscribe')) {
    return null;
  }
  return (
    <DetailsForm
      label="Unsubscribe the recipient"
      action="/console/unsubscribe"
      submit="Unsubscribe"
      tone="plain"
      hidden={{ email }}
    >
      <p>This stops everything except transactional mail, such as a password reset.</p>
      <Input
        id="note-unsubscribe"
        name="note"
        label="Note"
        hint="Who asked, and how, such as a case number or a call."
        maxLength={1000}
      />
    </DetailsForm>
  );
}
