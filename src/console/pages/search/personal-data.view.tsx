import type { JSX } from 'preact';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { textOf, type Fields } from '../../access/fields.js';
import { Checkbox, Hidden, Input } from '../../components/form.js';
import { urlOf } from '../../components/pager.js';

interface PersonalDataProps {
  email: EmailAddress;
  /** The form for an erasure that was refused. */
  entered: Fields | undefined;
}

export function PersonalData({ email, entered }: PersonalDataProps): JSX.Element {
  return (
    <section class="card">
      <h2>Personal data</h2>
      <p>
        For requests of the recipient about their data. The download has everything about this address, also
        what this page does not show, and may take minutes.
      </p>
      <p>
        <a class="button" href={urlOf('/console/personal-data', { email })} download>
          Download all data
        </a>
      </p>
      <details class="act" open={entered !== undefined}>
        <summary class="danger">Erase this address…</summary>
        <form class="form" method="post" action="/console/personal-data/erase">
          <Hidden values={{ email }} />
          <p>
            The suppression, choices, and rules of this address are deleted, and it is replaced everywhere
            else, also in the history. Nothing blocks it any more: if another program still has it, it can be
            mailed. This cannot be undone.
          </p>
          <Input
            name="typed"
            label="The address again"
            value={entered && textOf(entered, 'typed')}
            required
          />
          <Input
            name="reference"
            label="Reference"
            hint="Where the request is documented, such as the number of a case. Not the address."
            maxLength={200}
            value={entered && textOf(entered, 'reference')}
            required
          />
          <Checkbox
            name="accept"
            value="yes"
            label="The address may be mailed again"
            checked={entered !== undefined && textOf(entered, 'accept') === 'yes'}
          />
          <button class="danger" type="submit">
            Erase this address
          </button>
        </form>
      </details>
    </section>
  );
}
