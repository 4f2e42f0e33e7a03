import type { JSX } from 'preact';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { Card } from '../../components/card.js';
import { DetailsForm } from '../../components/form.js';
import { Checkbox, Input } from '../../components/inputs.js';
import { urlOf } from '../../components/pager.js';

export function PersonalData({ email }: { email: EmailAddress }): JSX.Element {
  return (
    <Card title="Personal data">
      <p>
        For requests of the recipient about their data. The download has everything about this address, also
        what this page does not show, and may take minutes.
      </p>
      <p>
        <a class="button" href={urlOf('/console/personal-data', { email })} download>
          Download all data
        </a>
      </p>
      <DetailsForm
        label="Erase this address…"
        warns
        action="/console/personal-data/erase"
        submit="Erase this address"
        tone="danger"
        hidden={{ email }}
      >
        <p>
          The suppression, choices, and rules of this address are deleted, and it is replaced everywhere else,
          also in the history. Nothing blocks it any more: if another program still has it, it can be mailed.
          This cannot be undone.
        </p>
        <Input name="typed" label="The address again" required />
        <Input
          name="reference"
          label="Reference"
          hint="Where the request is documented, such as the number of a case. Not the address."
          maxLength={200}
          required
        />
        <Checkbox name="accept" value="yes">
          The address may be mailed again
        </Checkbox>
      </DetailsForm>
    </Card>
  );
}
