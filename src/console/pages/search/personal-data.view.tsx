import type { JSX } from 'preact';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { urlOf } from '../../components/pager.js';

export function PersonalData({ email }: { email: EmailAddress }): JSX.Element {
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
    </section>
  );
}
