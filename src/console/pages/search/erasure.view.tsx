import { actorText } from '../../../audit/actor.js';
import { ErasureDto } from '../../../contacts/erasure/erasure.dto.js';
import type { Receipt } from '../../../contacts/erasure/erasures.service.js';
import { Card } from '../../components/card.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Facts } from '../../components/facts.js';
import { SCRIPT_URL } from '../../components/script.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { capitalized } from '../../components/words.js';

/** What was erased, without the address. While the erasure runs, the script reloads the page. */
export function ErasurePage({ visitor, receipt }: PageProps & { receipt: Receipt }) {
  const isRunning = receipt.completedAt === null;
  return (
    <ConsolePage
      visitor={visitor}
      title="Erasure of an address"
      section="/console"
      script={isRunning ? SCRIPT_URL : undefined}
    >
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
