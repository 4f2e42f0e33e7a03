import { actorText } from '../../../audit/actor.js';
import { ErasureDto } from '../../../contacts/erasure/erasure.dto.js';
import type { Receipt } from '../../../contacts/erasure/erasures.service.js';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { Card, Facts, Timestamp } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { DetailsForm } from '../../components/form.js';
import { Checkbox, Input, Select } from '../../components/inputs.js';
import { Table, urlOf } from '../../components/list.js';
import { capitalized } from '../../components/words.js';

/** What happens to the block of an erased address. */
const BLOCKS = { keep: 'Keep it', erase: 'Erase it, too' };

export function PersonalData({ email }: { email: EmailAddress }) {
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
          This address is replaced everywhere, also in the history. This cannot be undone. If the block is
          kept, a keyed hash replaces the address, which stays suppressed but cannot be read any more.
          Otherwise its suppression, choices, and rules are deleted, and nothing blocks it any more: if
          another program still has it, it can be mailed.
        </p>
        <Select name="block" label="The block" choices={BLOCKS} />
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

/** What was erased, without the address. While the erasure runs, the script reloads the page. */
export function ErasurePage({ visitor, receipt }: PageProps & { receipt: Receipt }) {
  const isRunning = receipt.completedAt === null;
  return (
    <ConsolePage visitor={visitor} title="Erasure of an address" section="/console" isRunning={isRunning}>
      <section class="card" id="erasure" data-running={isRunning ? '' : undefined}>
        <p class="row">
          <span class={`badge ${isRunning ? 'warn' : 'good'}`}>{isRunning ? 'running' : 'completed'}</span>
          {isRunning && (
            <span class="muted">
              This takes half a minute, and minutes in a large account or while an import runs. This page
              updates automatically. You can close it.
            </span>
          )}
        </p>
        <Facts
          facts={{
            'The block': receipt.keepBlock ? 'Kept, with a pseudonym' : 'Erased',
            Reference: receipt.reference,
            'Erased by': actorText(receipt.actor),
            Began: <Timestamp at={receipt.createdAt} />,
            Ended: <Timestamp at={receipt.completedAt} />,
            'In backups': !isRunning && <BackupsUntil at={receipt.backupsUntil} />,
            Pseudonym: <code>{receipt.pseudonym}</code>,
          }}
        />
      </section>
      <Counts counts={receipt.counts} />
      {!isRunning && (
        <Card title="Receipt">
          <p class="copy">{JSON.stringify(new ErasureDto(receipt))}</p>
          <p class="muted">
            It has no address. Keep it outside the database: after a restore from a backup,{' '}
            <code>suppressions person erase --from</code> erases the address again by it.
          </p>
        </Card>
      )}
    </ConsolePage>
  );
}

function BackupsUntil({ at }: { at: Date | null }) {
  return at ? (
    <>
      Until <Timestamp at={at} />
    </>
  ) : (
    <>Until they are deleted: BACKUP_RETENTION_DAYS is not set</>
  );
}

function Counts({ counts }: Pick<Receipt, 'counts'>) {
  const rows = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <Card title="Rows that were changed or deleted">
      <Table
        caption="Rows that were changed or deleted"
        rows={rows}
        columns={{
          Table: ([table]) => capitalized(table.replaceAll('_', ' ')),
          Rows: ([, count]) => count.toLocaleString('en'),
        }}
        numbers={['Rows']}
        empty="None so far."
      />
    </Card>
  );
}
