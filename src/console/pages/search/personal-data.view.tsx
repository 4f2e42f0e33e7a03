import { useContext } from 'preact/hooks';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { Card } from '../../components/content.js';
import { AccountContext, DetailsForm } from '../../components/form.js';
import { Checkbox, Input, Select } from '../../components/inputs.js';
import { urlOf } from '../../components/list.js';

/** What happens to the block of an erased address. */
const BLOCKS = { keep: 'Keep the block', erase: 'Erase the block, too' };

export function PersonalData({ email }: { email: EmailAddress }) {
  return (
    <Card title="Personal data">
      <p>
        This card is for requests of the recipient about their data. The download has everything about this
        address, including what this page does not show, and may take minutes.
      </p>
      <p>
        <a
          class="button"
          href={urlOf('/console/personal-data', { email, account: useContext(AccountContext) })}
          download
        >
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
          This address is replaced everywhere, including in the history. This cannot be undone. If the block
          is kept, a keyed hash replaces the address, which stays suppressed but can no longer be read.
          Otherwise its suppression, choices, and rules are deleted, and nothing blocks it anymore: if another
          program still has it, it can be mailed.
        </p>
        <Select name="block" label="Block" choices={BLOCKS} />
        <Input name="typed" label="Type the address again" required />
        <Input
          name="reference"
          label="Reference"
          hint="Where the request is documented, such as the number of a case. Not the address."
          maxLength={200}
          required
        />
        <Checkbox name="accept" value="yes">
          I know that without the block, the address may be mailed again
        </Checkbox>
      </DetailsForm>
    </Card>
  );
}
